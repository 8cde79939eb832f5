#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cubcal/dataset/phantom_drawing.h"
#include "cubcal/record/run_record.h"

namespace cubcal {

/// Where a model comes from: enough to make it again, and to draw its data again.
struct Provenance {
  std::string program;      ///< "cubcal 0.1.0"; save_model fills it in where it is empty
  std::string recipe = {};  ///< the recipe's whole text, or the command for a model without one
  std::string recipe_hash = {};  ///< content_hash of it
  Settings settings = {};        ///< what the recipe came to
  std::uint64_t seed = 0;
  std::string data = {};       ///< name of the training set: "phantom", or the path of a file
  std::string data_hash = {};  ///< content_hash of the set
  std::optional<PhantomOptions> phantom = {};  ///< what the phantom set was drawn with
  std::string stage = {};                      ///< "deterministic", "bayesian", "imported", ...
  std::int64_t epoch = 0;                      ///< finished epochs
  std::map<std::string, double> metrics = {};  ///< on validation data, when the model was saved
};

nlohmann::json to_json(const Provenance& provenance);
/// Every field may be missing; throws DataError naming one of a wrong type.
Provenance provenance_from_json(const nlohmann::json& object);

nlohmann::json to_json(const PhantomOptions& options);
/// Fields that are missing keep their defaults; throws DataError for a wrong type or domain.
PhantomOptions phantom_options_from_json(const nlohmann::json& object);

}  // namespace cubcal
