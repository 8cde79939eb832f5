#include "cubcal/record/settings_json.h"

#include <nlohmann/json.hpp>

namespace cubcal {

nlohmann::ordered_json settings_json(const Settings& settings) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [key, value] : settings) object[key] = nlohmann::ordered_json::parse(value);
  return object;
}

Settings settings_of(const nlohmann::ordered_json& object) {
  Settings settings;
  for (const auto& [key, value] : object.items()) settings.emplace_back(key, value.dump());
  return settings;
}

}  // namespace cubcal
