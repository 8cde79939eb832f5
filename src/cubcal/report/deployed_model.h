#pragma once

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

}  // namespace cubcal::report
