#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cubcal_nn/infer/model_folder.h"

namespace cubcal {

/// A model that is not in a folder yet.
struct EnsembleModel {
  ModelDescription description;
  std::unique_ptr<Network> network;
  bool same_data = true;  ///< every member was trained on the same images, as far as is known
};

/// Deterministic models of one network, classes and preprocessing as one: its passes are they, in
/// this order. Recipe and data are the first one's. Throws ArgumentError for fewer than two and for
/// models that do not go together, DataError and IoError as load_model does.
EnsembleModel ensemble_of(const std::vector<std::string>& folders, c10::Device device);

}  // namespace cubcal
