#include "cubcal_nn/experiment/part_record.h"

#include <filesystem>

#include "cubcal/calibration/fit.h"
#include "cubcal/calibration/one_temperature.h"
#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/evaluation/predict_file.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/record/run_folder.h"
#include "cubcal/record/run_record.h"
#include "cubcal/record/settings_json.h"
#include "cubcal/results/answer_spread.h"
#include "cubcal/version.h"
#include "cubcal_nn/experiment/ood_run.h"
#include "cubcal_nn/experiment/ood_table.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/kernels/device_memory.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSpreadBins = 40;

results::AnswerSpread spread_of(const SampleFacts& facts) {
  results::AnswerSpread spread;
  spread.classes = facts.classes;
  spread.right.assign(kSpreadBins, 0);
  spread.wrong.assign(kSpreadBins, 0);
  for (std::size_t i = 0; i < facts.samples; ++i) {
    ++(facts.correct[i] ? spread.right
                        : spread.wrong)[bin_index(facts.normalised_entropy[i], kSpreadBins)];
  }
  for (const ReliabilityBin& bin : boundary_curve_calibration_error(facts).bins) {
    spread.boundary.push_back({bin.count, bin.mean_observed, bin.mean_target});
  }
  return spread;
}

/// {"metrics": ..., "intervals": ..., "spread": ...} of a prediction of the labelled file.
Json measured_json(const LogitsFile& file, const Predictive& predictive,
                   const BootstrapOptions& bootstrap) {
  const SampleFacts facts = sample_facts(predictive, file.labels, MetricOptions{});
  return {{"metrics", metrics_json(metric_values(facts))},
          {"intervals", intervals_json(bootstrap_intervals(facts, file.groups, bootstrap))},
          {"spread", to_json(spread_of(facts))}};
}

Json box_json(const TemperatureBox& box) { return {box.low, box.high}; }

Json post_hoc_json(const CalibrationPlan& plan, const RunPart& part, const LogitsFile& validation,
                   const LogitsFile& test, const BootstrapOptions& bootstrap) {
  Json rows = Json::array();
  for (const CalibrationMethod method : kCalibrationMethods) {
    const FitResult fit = fit_calibration(McLogits(validation.logits), validation.labels,
                                          plan.fit_options(method), validation.groups);
    const std::string name = method_name(method);
    save_calibration(RunFolder{part.folder}.calibration(name), fit.calibration);
    Json row = {{"method", name},
                {"t_high", fit.calibration.t_high},
                {"t_low", fit.calibration.t_low},
                {"box_high", box_json(fit.calibration.box_high)},
                {"box_low", box_json(fit.calibration.box_low)},
                {"warnings", fit.warnings}};
    row.update(measured_json(test, predict_file(test, fit.calibration), bootstrap));
    rows.push_back(row);
  }
  return rows;
}

/// What one temperature makes of the test logits, without intervals.
Json one_temperature_json(const LogitsFile& test) {
  Json rows = Json::array();
  for (const ScaledValues& each :
       values_by_temperature(McLogits(test.logits), test.labels, MetricOptions{})) {
    rows.push_back({{"t", each.temperature}, {"metrics", metrics_json(each.values)}});
  }
  return rows;
}

/// The rows of the OOD table; also left beside the logits as 'cubcal ood --json' would.
Json ood_json(const ExperimentPlan& plan, const RunPart& part, const ImagesOfPart& images,
              const BootstrapOptions& bootstrap, WorkObserver& observer) {
  if (!std::filesystem::exists(part.logits("ood"))) return Json::array();
  const ImageSet& set = images();
  OodRunOptions options;
  options.mc = part.mc();
  options.device = c10::Device(part.recipe.run.device);
  LoadedModel model = load_model(part.model(), options.device);
  OodRun run(model, set, options, observer);
  for (const char* split : {"val", "test", "ood"}) {
    run.use_logits(split, read_logits_file(part.logits(split)).logits);
  }
  run.fit(ood_rows(), "train");
  const ImageSplit& ood = set.split("ood");
  const OodTable table = make_ood_table(run, ood_rows(), set.split("test"), ood,
                                        ood_categories(set, ood, plan.ood_by), bootstrap, true);
  Json json = {{"format", "cubcal-ood"}, {"version", 1}, {"data", set.name}};
  json.update(ood_table_json(table));
  write_file_atomically(RunFolder{part.folder}.detectors(), json.dump(2) + "\n");
  return json.at("rows");
}

/// What training left in record.json, without the texts that would make it long.
Json training_json(const RunPart& part) {
  const RunRecord record = read_run_record(RunFolder{part.folder}.record());
  // Where the data lay says nothing to a reader elsewhere; the hash says which they were.
  const std::string data = std::filesystem::path(record.data).filename().string();
  Json training = {{"program", record.program},
                   {"libtorch", record.libtorch},
                   {"precision", record.precision},
                   {"network", record.network},
                   {"data", {{"name", data}, {"hash", record.data_hash}}},
                   {"device", device_name(c10::Device(part.recipe.run.device))},
                   {"recipe", record.recipe_hash},
                   {"settings", settings_json(record.settings)}};
  // How calibrations are fitted is no part of training, and may have changed since.
  const Json now = settings_json(part.recipe.settings);
  for (const auto& [key, value] : now.items()) {
    if (key.rfind("calibration.", 0) == 0) training["settings"][key] = value;
  }
  training["stages"] = Json::array();
  for (const StageRecord& stage : record.stages) {
    training["stages"].push_back({{"method", stage.method},
                                  {"epochs", stage.epochs.value_or(0)},
                                  {"seconds", stage.seconds.value_or(0)}});
  }
  return training;
}

}  // namespace

nlohmann::ordered_json part_record(const ExperimentPlan& plan, const ExperimentRun& run,
                                   const RunPart& part, const ImagesOfPart& images,
                                   const BootstrapOptions& bootstrap, WorkObserver& observer) {
  const LogitsFile validation = read_logits_file(part.logits("val"));
  const LogitsFile test = read_logits_file(part.logits("test"));
  Json json = {{"format", "cubcal-result"},
               {"version", 1},
               {"program", std::string("cubcal ") + kVersion},
               {"experiment", plan.name},
               {"paper", plan.paper},
               {"regime", run.regime},
               {"method", run.method},
               {"seed", run.seed},
               {"passes", McLogits(test.logits).passes()},
               {"model", part.model_name},
               {"training", training_json(part)}};
  const auto measured = [&](const LogitsFile& file) {
    Json split = {{"samples", file.labels.size()}};
    split.update(measured_json(file, predict_file(file, std::nullopt), bootstrap));
    return split;
  };
  json["bootstrap"] = bootstrap_json(bootstrap, !test.groups.empty());
  json["val"] = measured(validation);
  json["test"] = measured(test);
  json["post_hoc"] = post_hoc_json(plan.calibration, part, validation, test, bootstrap);
  json["one_temperature"] = one_temperature_json(test);
  json["ood"] = ood_json(plan, part, images, bootstrap, observer);
  return json;
}

}  // namespace cubcal
