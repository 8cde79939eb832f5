#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

/// model.json carries a hash of everything in it that an answer follows from: weights, classes,
/// preprocessing, thresholds, calibration, verdict, and the name and version they go under. It
/// finds what was changed by hand or damaged; it is not a signature.
namespace cubcal {

inline constexpr const char* kDecisionHashField = "decision_hash";

/// Of a whole model.json, whatever the order of its fields.
std::string decision_hash(const nlohmann::ordered_json& document);

/// Throws DataError where the document carries a hash and it is another one. Models of versions
/// that wrote none pass.
void check_decision_hash(const nlohmann::ordered_json& document);

}  // namespace cubcal
