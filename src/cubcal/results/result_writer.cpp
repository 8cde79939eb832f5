#include "cubcal/results/result_writer.h"

#include "cubcal/record/settings_json.h"
#include "cubcal/results/result_format.h"

namespace cubcal::results {

namespace {

using Json = nlohmann::ordered_json;

void add_measured(const MeasuredPart& part, Json& json) {
  json["metrics"] = part.metrics;
  json["intervals"] = part.intervals;
  json["spread"] = to_json(part.spread);
}

Json split_json(const SplitPart& part) {
  Json json = {{"samples", part.samples}};
  add_measured(part.measured, json);
  return json;
}

Json calibrated_json(const CalibratedPart& part) {
  Json json = {{"method", part.method},     {"t_high", part.t_high},   {"t_low", part.t_low},
               {"box_high", part.box_high}, {"box_low", part.box_low}, {"warnings", part.warnings}};
  add_measured(part.measured, json);
  return json;
}

Json training_json(const RunRecord& run) {
  Json json = {{"program", run.program},
               {"libtorch", run.libtorch},
               {"precision", run.precision},
               {"network", run.network},
               {"data", {{"name", run.data}, {"hash", run.data_hash}}},
               {"device", run.device},
               {"recipe", run.recipe_hash},
               {"settings", settings_json(run.settings)}};
  json["stages"] = Json::array();
  for (const StageRecord& stage : run.stages) {
    json["stages"].push_back({{"method", stage.method},
                              {"epochs", stage.epochs.value_or(0)},
                              {"seconds", stage.seconds.value_or(0)}});
  }
  return json;
}

}  // namespace

Json to_json(const ResultDocument& document) {
  Json json = {{"format", kResultFormat},
               {"version", kResultVersion},
               {"program", document.program},
               {"experiment", document.experiment},
               {"paper", document.paper},
               {"regime", document.regime},
               {"method", document.method},
               {"seed", document.seed},
               {"passes", document.passes},
               {"model", document.model},
               {"training", training_json(document.training)},
               {"bootstrap", document.bootstrap},
               {"val", split_json(document.val)},
               {"test", split_json(document.test)}};
  json["post_hoc"] = Json::array();
  for (const CalibratedPart& each : document.post_hoc) {
    json["post_hoc"].push_back(calibrated_json(each));
  }
  json["one_temperature"] = Json::array();
  for (const ScaledPart& each : document.one_temperature) {
    json["one_temperature"].push_back({{"t", each.temperature}, {"metrics", each.metrics}});
  }
  json["ood"] = Json::array();
  for (const DetectorRecord& each : document.detectors) json["ood"].push_back(to_json(each));
  return json;
}

}  // namespace cubcal::results
