#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cubcal/record/run_record.h"

namespace cubcal {

/// The field `provenance` of model.json: where a model comes from, enough to make it again and to
/// draw its data again. Any part may be absent.
struct Provenance {
  std::string program = {};      ///< "cubcal 0.1.0"; the program at hand where it is empty
  std::string recipe = {};       ///< the whole text, or the command for a model without one
  std::string recipe_hash = {};  ///< content_hash of it; empty where it comes from no recipe
  Settings settings = {};        ///< what the recipe came to
  std::optional<std::uint64_t> seed = {};
  std::string data = {};       ///< name of the training set: "phantom", or the path of a file
  std::string data_hash = {};  ///< content_hash of the set
  nlohmann::ordered_json phantom = {};  ///< what the phantom set was drawn with; null: other data
  std::string stage = {};               ///< "deterministic", "bayesian", "imported", ...
  std::int64_t epoch = 0;               ///< finished epochs
  /// On validation data, when the model was saved; numbers that are not finite are not written.
  std::map<std::string, double> metrics = {};
};

/// The name of the set that is drawn.
extern const std::string kPhantomName;
/// Whether what a user gives as data is that set: "phantom" or "phantom:SEED".
bool is_phantom_name(const std::string& data);

nlohmann::ordered_json to_json(const Provenance& provenance);
/// Throws DataError that names a field of a wrong type, or where the recipe is not that of its
/// hash.
Provenance provenance_of(const nlohmann::ordered_json& json);

}  // namespace cubcal
