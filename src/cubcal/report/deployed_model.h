#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cubcal/calibration/calibration.h"
#include "cubcal/conformal/verdict_record.h"
#include "cubcal/record/model_identity.h"

namespace cubcal::report {

/// What model.json says of how a model is used: its name, calibration and verdict.
struct DeployedModel {
  std::optional<ModelIdentity> identity;
  std::optional<Calibration> calibration;
  std::optional<VerdictRecord> verdict;  ///< that is in force
  bool has_stale_verdict = false;        ///< fitted for another calibration: nothing is answered
  std::string weights_hash;
  std::string data_hash;  ///< of the set it was trained on
};

/// Whether a whole model.json has a verdict that was fitted for another calibration than it has.
bool has_stale_verdict(const nlohmann::ordered_json& model);

/// Nothing where the model has neither a name nor a verdict. Throws DataError that names the file
/// for what is wrong in it.
std::optional<DeployedModel> read_deployed_model(const std::string& model_path);

}  // namespace cubcal::report
