#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cubcal/core/named_values.h"

namespace cubcal {

/// What a model may be used for at most.
enum class ModelStatus {
  kResearch,    ///< no answer of it reaches a patient
  kValidation,  ///< it runs beside people, who decide without it
  kClinical,    ///< people see its answers; what that takes is not this program's to say
  kRetired      ///< not to be used any longer
};

inline constexpr NamedValue<ModelStatus> kModelStatuses[] = {
    {"research", ModelStatus::kResearch},
    {"validation", ModelStatus::kValidation},
    {"clinical", ModelStatus::kClinical},
    {"retired", ModelStatus::kRetired}};

/// The field of model.json it stands in.
inline constexpr const char* kIdentityField = "identity";

/// What a deployed model is called.
struct ModelIdentity {
  std::string name;
  std::string version = "1";      ///< becomes the name of a folder once there is a later one
  std::string intended_use = {};  ///< a sentence or two for people; empty: not said
  ModelStatus status = ModelStatus::kResearch;
  std::string made = {};  ///< when this version was, in UTC
};

/// Throws ArgumentError naming the first field outside its domain.
void check_identity(const ModelIdentity& identity);

/// The version with its last number one higher: "3" after "2", "1.10" after "1.9", "beta.2" after
/// "beta".
std::string next_version(const std::string& version);

/// Whether both are whole numbers with points between them and the first comes before the second:
/// "0.5" before "1", "1.9" before "1.10". Of other versions nothing is known.
bool comes_before(const std::string& version, const std::string& other);

nlohmann::ordered_json identity_to_json(const ModelIdentity& identity);
/// Throws DataError naming the field that is missing or outside its domain.
ModelIdentity identity_from_json(const nlohmann::ordered_json& json);

/// Of a whole model.json; nothing where the model has none.
std::optional<ModelIdentity> identity_in(const nlohmann::ordered_json& document);

}  // namespace cubcal
