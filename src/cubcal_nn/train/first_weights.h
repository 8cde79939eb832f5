#pragma once

#include <memory>
#include <string>

#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/models/network.h"
#include "cubcal_nn/train/run_options.h"

namespace cubcal {

/// Builds the network of a stage with its first weights: drawn anew from the seed, or taken from
/// `previous` (a model folder or a file of weights).
///
/// From a point network to a Gaussian one by MOPED, from one kind to the same kind as it is, and
/// from point weights to point weights as they are. A Gaussian model cannot become a point one
/// here: that throws ArgumentError. `description` says what network to build.
std::unique_ptr<Network> make_stage_network(const ModelDescription& description,
                                            const StageOptions& stage, std::uint64_t seed,
                                            const std::string& previous,
                                            const ImportOptions& import_options,
                                            c10::Device device);

/// By which it is known again what a run started from: the SHA-256 of a file of weights, the
/// weights' hash of a model folder. Throws where there is neither.
std::string first_weights_hash(const std::string& previous);

}  // namespace cubcal
