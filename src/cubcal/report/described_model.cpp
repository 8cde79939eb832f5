#include "cubcal/report/described_model.h"

#include <nlohmann/json.hpp>

#include "cubcal/calibration/calibration_hash.h"
#include "cubcal/core/error.h"

namespace cubcal::report {

namespace {

std::optional<DeployedModel> deployed_of(const DescribedModel& model) {
  const ModelRecord& record = model.record;
  if (!record.identity && record.verdict.is_null()) return std::nullopt;
  DeployedModel deployed;
  deployed.identity = record.identity;
  deployed.calibration = model.calibration;
  if (!record.verdict.is_null()) {
    deployed.verdict = verdict_record_from_json(record.verdict);
    deployed.has_stale_verdict =
        deployed.verdict->calibration != calibration_hash(model.calibration);
  }
  if (deployed.has_stale_verdict) deployed.verdict.reset();
  deployed.weights_hash = record.weights_hash;
  deployed.data_hash = model.provenance.data_hash;
  return deployed;
}

}  // namespace

DescribedModel read_described_model(const std::string& model_path) {
  DescribedModel model;
  model.record = read_model_record(model_path);
  try {
    const ModelRecord& record = model.record;
    if (!record.provenance.is_null()) model.provenance = provenance_of(record.provenance);
    if (!record.calibration.is_null()) {
      model.calibration = calibration_from_json(record.calibration.dump());
    }
    model.deployed = deployed_of(model);
  } catch (const DataError& error) {
    throw DataError("'" + model_path + "': " + error.what());
  }
  return model;
}

}  // namespace cubcal::report
