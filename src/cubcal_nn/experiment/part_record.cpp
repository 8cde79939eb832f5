#include "cubcal_nn/experiment/part_record.h"

#include <filesystem>

#include "cubcal/calibration/fit.h"
#include "cubcal/calibration/one_temperature.h"
#include "cubcal/core/words.h"
#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/evaluation/predict_file.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/record/run_folder.h"
#include "cubcal/record/run_record.h"
#include "cubcal/record/settings_json.h"
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

/// A prediction of the labelled file.
results::SplitResult measured_split(const LogitsFile& file, const Predictive& predictive,
                                    const BootstrapOptions& bootstrap) {
  const SampleFacts facts = sample_facts(predictive, file.labels, MetricOptions{});
  return {
      file.labels.size(),
      results::metric_map(metric_values(facts), bootstrap_intervals(facts, file.groups, bootstrap)),
      spread_of(facts)};
}

results::SplitResult measured_split(const LogitsFile& file, const BootstrapOptions& bootstrap) {
  return measured_split(file, predict_file(file, std::nullopt), bootstrap);
}

std::pair<double, double> ends_of(const TemperatureBox& box) { return {box.low, box.high}; }

/// Every calibration, which is also saved beside the logits.
std::vector<results::PostHocResult> calibrated_parts(const CalibrationPlan& plan,
                                                     const RunPart& part,
                                                     const LogitsFile& validation,
                                                     const LogitsFile& test,
                                                     const BootstrapOptions& bootstrap) {
  std::vector<results::PostHocResult> parts;
  for (const CalibrationMethod method : kCalibrationMethods) {
    const FitResult fit = fit_calibration(McLogits(validation.logits), validation.labels,
                                          plan.fit_options(method), validation.groups);
    const Calibration& fitted = fit.calibration;
    const std::string name = method_name(method);
    save_calibration(RunFolder{part.folder}.calibration(name), fitted);
    const results::SplitResult under = measured_split(test, predict_file(test, fitted), bootstrap);
    parts.push_back({name, fitted.t_high, fitted.t_low, under.metrics, under.spread,
                     ends_of(fitted.box_high), ends_of(fitted.box_low), fit.warnings, fit.guard});
  }
  return parts;
}

/// What one temperature makes of the test logits, without intervals.
std::vector<results::ScaledResult> scaled_parts(const LogitsFile& test) {
  std::vector<results::ScaledResult> parts;
  for (const ScaledValues& each :
       values_by_temperature(McLogits(test.logits), test.labels, MetricOptions{})) {
    parts.push_back({each.temperature, results::metric_map(each.values)});
  }
  return parts;
}

/// The rows of the OOD table; also left beside the logits as 'cubcal ood --json' would.
std::vector<DetectorRecord> detector_rows(const ExperimentPlan& plan, const RunPart& part,
                                          const ImagesOfPart& images,
                                          const BootstrapOptions& bootstrap,
                                          WorkObserver& observer) {
  if (!std::filesystem::exists(part.logits("ood"))) return {};
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
  OodRecord record;
  record.data = set.name;
  record.table =
      table_record(make_ood_table(run, ood_rows(), set.split("test"), ood,
                                  ood_categories(set, ood, plan.ood_by), bootstrap, true));
  write_file_atomically(RunFolder{part.folder}.detectors(), to_json(record).dump(2) + "\n");
  return record.table->rows;
}

/// What training left in record.json, without the texts that would make it long.
RunRecord training_of(const RunPart& part) {
  RunRecord run = read_run_record(RunFolder{part.folder}.record());
  // Where the data lay says nothing to a reader elsewhere; the hash says which they were.
  run.data = last_part(run.data);
  run.device = device_name(c10::Device(part.recipe.run.device));
  // How calibrations are fitted is no part of training, and may have changed since.
  Json settings = settings_json(run.settings);
  const Json now = settings_json(part.recipe.settings);
  for (const auto& [key, value] : now.items()) {
    if (starts_with(key, "calibration.")) settings[key] = value;
  }
  run.settings = settings_of(settings);
  return run;
}

}  // namespace

results::ResultRecord part_record(const ExperimentPlan& plan, const ExperimentRun& run,
                                  const RunPart& part, const ImagesOfPart& images,
                                  const BootstrapOptions& bootstrap, WorkObserver& observer) {
  const LogitsFile validation = read_logits_file(part.logits("val"));
  const LogitsFile test = read_logits_file(part.logits("test"));
  results::ResultRecord record;
  record.program = std::string("cubcal ") + kVersion;
  record.experiment = plan.name;
  record.paper = plan.paper;
  record.regime = run.regime;
  record.method = run.method;
  record.seed = run.seed;
  record.passes = McLogits(test.logits).passes();
  record.model = part.model_name;
  record.training = training_of(part);
  record.bootstrap = bootstrap_json(bootstrap, !test.groups.empty());
  record.val = measured_split(validation, bootstrap);
  record.test = measured_split(test, bootstrap);
  record.post_hoc = calibrated_parts(plan.calibration, part, validation, test, bootstrap);
  record.scaled = scaled_parts(test);
  record.detectors = detector_rows(plan, part, images, bootstrap, observer);
  return record;
}

}  // namespace cubcal
