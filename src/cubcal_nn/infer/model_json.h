#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "cubcal_nn/infer/model_folder.h"

/// model.json once it is parsed.
namespace cubcal {

/// The field with the hash of the weights.
inline constexpr const char* kWeightsHashField = "weights_hash";

/// Bytes of model.json that are read and written at most.
inline constexpr std::size_t kLargestDescription = std::size_t{16} << 20;

/// Throw DataError as description_from_json does.
nlohmann::ordered_json parse_description(const std::string& text);
ModelDescription description_of(const nlohmann::ordered_json& document);

/// Every field as JSON text.
std::map<std::string, std::string> fields_of(const nlohmann::ordered_json& document);

}  // namespace cubcal
