#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "cubcal_nn/infer/model_folder.h"

/// model.json (record/model_record.h) as the description of a network that can be made.
namespace cubcal {

/// Throw DataError as description_from_json does.
nlohmann::ordered_json parse_description(const std::string& text);
ModelDescription description_of(const nlohmann::ordered_json& document);

/// Every field as JSON text.
std::map<std::string, std::string> fields_of(const nlohmann::ordered_json& document);

}  // namespace cubcal
