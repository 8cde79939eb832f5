#pragma once

#include <optional>
#include <string>

#include "cubcal/calibration/calibration.h"
#include "cubcal/record/model_record.h"
#include "cubcal/record/provenance.h"
#include "cubcal/report/deployed_model.h"

namespace cubcal::report {

/// model.json with what other rooms read of it.
struct DescribedModel {
  ModelRecord record;
  Provenance provenance;
  std::optional<Calibration> calibration;
  std::optional<DeployedModel> deployed;  ///< of a model with a name or a verdict
};

/// Throws DataError that names the file for what is wrong in it.
DescribedModel read_described_model(const std::string& model_path);

}  // namespace cubcal::report
