#include "cubcal/report/deployed_model.h"

#include <nlohmann/json.hpp>

#include "cubcal/calibration/calibration_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/json_text.h"
#include "cubcal/record/decision_hash.h"

namespace cubcal::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostModelBytes = std::size_t{1} << 26;

std::string text_at(const Json& json, const char* pointer) {
  const Json::json_pointer place(pointer);
  return json.contains(place) && json.at(place).is_string() ? json.at(place).get<std::string>()
                                                            : std::string();
}

std::optional<Calibration> calibration_in(const Json& model) {
  if (!model.contains("calibration")) return std::nullopt;
  return calibration_from_json(model["calibration"].dump());
}

}  // namespace

bool has_stale_verdict(const Json& model) {
  return model.contains("verdict") &&
         text_at(model, "/verdict/calibration") != calibration_hash(calibration_in(model));
}

std::optional<DeployedModel> read_deployed_model(const std::string& model_path) {
  const Json json = load_json(model_path, kMostModelBytes);
  try {
    check_decision_hash(json);
    DeployedModel model;
    model.identity = identity_in(json);
    if (json.contains("verdict")) model.verdict = verdict_record_from_json(json["verdict"]);
    if (!model.identity && !model.verdict) return std::nullopt;
    model.calibration = calibration_in(json);
    model.has_stale_verdict = has_stale_verdict(json);
    if (model.has_stale_verdict) model.verdict.reset();
    model.weights_hash = text_at(json, "/weights_hash");
    model.data_hash = text_at(json, "/provenance/data_hash");
    return model;
  } catch (const DataError& error) {
    throw DataError("'" + model_path + "': " + error.what());
  }
}

}  // namespace cubcal::report
