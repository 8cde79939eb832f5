#include "cubcal/record/provenance.h"

#include <cmath>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/record/settings_json.h"

namespace cubcal {

const std::string kPhantomName = "phantom";

bool is_phantom_name(const std::string& data) {
  return data == kPhantomName || starts_with(data, kPhantomName + ":");
}

nlohmann::ordered_json to_json(const Provenance& provenance) {
  nlohmann::json metrics = nlohmann::json::object();
  for (const auto& [name, value] : provenance.metrics) {
    if (std::isfinite(value)) metrics[name] = value;
  }
  // In the order of the keys, settings and phantom included.
  nlohmann::json json = {{"program", provenance.program},
                         {"recipe", provenance.recipe},
                         {"recipe_hash", provenance.recipe_hash},
                         {"settings", settings_json(provenance.settings)},
                         {"seed", provenance.seed.value_or(0)},
                         {"data", provenance.data},
                         {"data_hash", provenance.data_hash},
                         {"stage", provenance.stage},
                         {"epoch", static_cast<std::uint64_t>(provenance.epoch)},
                         {"metrics", metrics}};
  if (!provenance.phantom.is_null()) json["phantom"] = provenance.phantom;
  return json;
}

Provenance provenance_of(const nlohmann::ordered_json& json) {
  if (!json.is_object()) throw DataError("provenance must be an object");
  const JsonFields fields(json, "provenance");
  Provenance provenance;
  fields.read("program", provenance.program);
  fields.read("recipe", provenance.recipe);
  fields.read("recipe_hash", provenance.recipe_hash);
  if (fields.known_object("settings")) provenance.settings = settings_of(fields.at("settings"));
  // An import has no hash: it comes from no recipe.
  if (!provenance.recipe_hash.empty()) {
    check_content_hash(provenance.recipe, provenance.recipe_hash, "the model's recipe");
  }
  fields.read("seed", provenance.seed);
  fields.read("data", provenance.data);
  fields.read("data_hash", provenance.data_hash);
  fields.read("stage", provenance.stage);
  if (fields.knows("epoch")) {
    provenance.epoch = static_cast<std::int64_t>(fields.count("epoch"));
  }
  if (fields.has("phantom")) provenance.phantom = fields.at("phantom");
  fields.read("metrics", provenance.metrics);
  return provenance;
}

}  // namespace cubcal
