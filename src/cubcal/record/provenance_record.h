#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cubcal/record/run_record.h"

namespace cubcal {

/// The field `provenance` of model.json: where a model comes from. Any part may be absent.
struct ProvenanceRecord {
  std::string program = {};
  std::string recipe = {};       ///< the whole text, or the command for a model without one
  std::string recipe_hash = {};  ///< empty where it comes from no recipe
  Settings settings = {};        ///< what the recipe came to
  std::optional<std::uint64_t> seed = {};
  std::string data = {};
  std::string data_hash = {};
  nlohmann::ordered_json phantom = {};  ///< what the phantom set was drawn with; null: other data
  std::string stage = {};
  std::uint64_t epoch = 0;
  std::map<std::string, double> metrics = {};  ///< numbers that are not finite are not written
};

nlohmann::ordered_json to_json(const ProvenanceRecord& provenance);
/// Throws DataError that names a field of a wrong type, or where the recipe is not that of its
/// hash.
ProvenanceRecord provenance_record_of(const nlohmann::ordered_json& json);

}  // namespace cubcal
