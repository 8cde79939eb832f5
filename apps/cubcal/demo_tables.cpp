#include "demo_tables.h"

#include "cubcal/calibration/fit.h"
#include "cubcal/evaluation/evaluation.h"
#include "cubcal/evaluation/predict_file.h"
#include "cubcal/metrics/metric_values.h"
#include "cubcal/record/run_folder.h"
#include "logits_input.h"

namespace cubcal::app {

namespace {

MetricValues measure(const LogitsFile& file, const Predictive& predictive) {
  return metric_values(sample_facts(predictive, file.labels, MetricOptions{}));
}

/// Of one seed; an undefined value leaves the cell empty.
results::ResultCell cell_of(const std::optional<double>& value) {
  results::ResultCell cell;
  if (value) cell.seeds.push_back(*value);
  return cell;
}

std::vector<results::ResultCell> cells_of(const MetricValues& metrics,
                                          const std::vector<Metric>& wanted) {
  std::vector<results::ResultCell> cells;
  for (const Metric metric : wanted) cells.push_back(cell_of(metrics[metric]));
  return cells;
}

const std::vector<Metric> kMethodMetrics = {Metric::kAccuracy, Metric::kAvu, Metric::kDeltaU,
                                            Metric::kEce,      Metric::kUce, Metric::kBcce,
                                            Metric::kNll};
const std::vector<Metric> kPostHocMetrics = {Metric::kEce, Metric::kUce, Metric::kBcce,
                                             Metric::kDeltaU, Metric::kNll};

results::ResultTable empty_methods() {
  return {"demo-methods",
          "Training: what each method gives on the test split",
          {"method"},
          {{"Acc %", 1, 100},
           {"AvU", 3},
           {"ΔU", 3},
           {"ECE %", 2, 100},
           {"UCE %", 2, 100},
           {"BCCE %", 2, 100},
           {"NLL", 3}},
          {}};
}

results::ResultTable empty_post_hoc() {
  return {"demo-post-hoc",
          "Post-hoc calibration of BNN + CUB: fitted on val, shown on test",
          {"calibration"},
          {{"T_high", 3},
           {"T_low", 3},
           {"ECE %", 2, 100},
           {"UCE %", 2, 100},
           {"BCCE %", 2, 100},
           {"ΔU", 3},
           {"NLL", 3}},
          {}};
}

results::ResultTable empty_detection() {
  return {"demo-detection",
          "Lesions of kinds never seen in training, told from the test split",
          {"method"},
          {{"AUROC of U %", 1, 100}, {"AUROC of MI %", 1, 100}},
          {}};
}

void add_post_hoc(const RunPart& part, DemoTables& tables) {
  const LogitsFile validation = read_logits_file(part.logits("val"));
  const LogitsFile test = read_logits_file(part.logits("test"));
  const auto add = [&](const std::string& name, double t_high, double t_low,
                       const Predictive& predictive) {
    results::ResultRow row{{name}, {cell_of(t_high), cell_of(t_low)}};
    for (const auto& cell : cells_of(measure(test, predictive), kPostHocMetrics)) {
      row.cells.push_back(cell);
    }
    tables.post_hoc.rows.push_back(row);
  };
  add("none", 1, 1, predict_file(test, std::nullopt));
  for (const CalibrationMethod method : kCalibrationMethods) {
    FitOptions options;
    options.method = method;
    const FitResult result =
        fit_calibration(McLogits(validation.logits), validation.labels, options, validation.groups);
    const std::string name = method_name(method);
    save_calibration(RunFolder{part.folder}.calibration(name), result.calibration);
    for (const std::string& warning : result.warnings) {
      tables.warnings.push_back(name + ": " + warning);
    }
    add(name, result.calibration.t_high, result.calibration.t_low,
        predict_file(test, result.calibration));
  }
}

}  // namespace

DemoTables demo_tables(const std::vector<RunPart>& parts) {
  DemoTables tables{empty_methods(), empty_post_hoc(), empty_detection(), {}};
  for (const RunPart& part : parts) {
    const LogitsFile test = read_logits_file(part.logits("test"));
    const Predictive in_distribution = predict_file(test, std::nullopt);
    tables.methods.rows.push_back(
        {{part.name}, cells_of(measure(test, in_distribution), kMethodMetrics)});

    const LogitsFile ood = read_logits_file(part.logits("ood"));
    const Detection detection =
        output_detection(in_distribution, predict_file(ood, std::nullopt), "");
    results::ResultRow row{{part.name}, {}};
    const bool one_pass = McLogits(test.logits).passes() == 1;  // has no mutual information
    for (const DetectionRow& score : detection.rows) {
      const std::string key = score.key;
      if (key == "confidence") continue;
      const bool undefined = !score.metrics || (one_pass && key == "mutual_information");
      row.cells.push_back(cell_of(undefined ? std::nullopt : std::optional(score.metrics->auroc)));
    }
    tables.detection.rows.push_back(row);
  }
  add_post_hoc(parts.back(), tables);
  return tables;
}

}  // namespace cubcal::app
