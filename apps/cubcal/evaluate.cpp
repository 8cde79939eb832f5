#include <iostream>
#include <memory>

#include "clinical_options.h"
#include "commands.h"
#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/metrics/bootstrap.h"
#include "cubcal/metrics/detection.h"
#include "evaluation_text.h"
#include "input_options.h"
#include "logits_input.h"
#include "metric_options.h"
#include "option_checks.h"

namespace cubcal::app {

namespace {

struct EvaluateOptions {
  std::string file;
  std::string calibration;
  std::string ood;
  std::string json;
  InputOptions input;
  MetricOptions metrics;
  ClinicalChoice clinical;
  std::size_t bootstrap = 0;
  BootstrapOptions bootstrap_options;
  bool ignore_groups = false;
};

void evaluate(const EvaluateOptions& options) {
  refuse_output_over_input(options.json, {options.file, options.calibration, options.ood,
                                          options.input.reading.labels_file});
  check_bootstrap_options(options.bootstrap_options);
  const LogitsFile file = read_input(options.file, options.input);
  require_labels(file, "evaluation");
  Evaluation evaluation;
  if (!options.calibration.empty()) {
    evaluation.calibration = load_calibration(options.calibration);
  }
  evaluation.title = describe(file);
  evaluation.class_names = class_labels(file);
  evaluation.passes = McLogits(file.logits).passes();
  const Predictive predictive = predict_file(file, evaluation.calibration);
  evaluation.facts = sample_facts(predictive, file.labels, options.metrics);
  evaluation.values = metric_values(evaluation.facts);
  if (!options.ood.empty()) {
    const LogitsFile ood = read_outliers(options.ood, options.input);
    check_same_classes(file, ood);
    evaluation.detection =
        output_detection(predictive, predict_file(ood, evaluation.calibration), describe(ood));
  }
  const std::vector<std::string> groups =
      options.ignore_groups ? std::vector<std::string>{} : file.groups;
  if (options.bootstrap > 0) {
    evaluation.bootstrap = options.bootstrap_options;
    evaluation.bootstrap->replicates = options.bootstrap;
    evaluation.bootstrap_by_group = !groups.empty();
    evaluation.intervals = bootstrap_intervals(evaluation.facts, groups, *evaluation.bootstrap);
  }
  if (options.clinical.wanted) {
    const ClinicalOptions clinical = clinical_options(options.clinical, evaluation.class_names);
    const ClinicalMetrics metrics(evaluation.facts, predictive, clinical);
    evaluation.clinical = ClinicalResult{clinical, metrics.values(), std::nullopt};
    if (evaluation.bootstrap) {
      evaluation.clinical->intervals = metrics.intervals(groups, *evaluation.bootstrap);
    }
  }
  if (!options.json.empty()) write_json(options.json, evaluation_json(evaluation));
  if (options.json != "-") print_evaluation(std::cout, evaluation);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command =
      app.add_subcommand("evaluate", "Measure MC logits: accuracy, calibration, uncertainty");
  command->add_option("FILE", options->file, ".npz with logits [S,N,K] or [N,K] and labels [N]")
      ->required();
  command->add_option("--calibration", options->calibration,
                      "Apply this calibration first (from 'cubcal calibrate')");
  command->add_option("--ood", options->ood,
                      "Logits of out-of-distribution inputs: adds AUROC, AUPR and FPR95");
  add_input_options(*command, options->input);
  add_labels_option(*command, options->input);
  add_metric_options(*command, options->metrics);
  add_clinical_options(*command, options->clinical);
  command
      ->add_option("--bootstrap", options->bootstrap,
                   "Replicates for intervals (0: none), by group when the file has groups")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{0}, std::size_t{1000000}));
  command->add_option("--level", options->bootstrap_options.level, "Coverage of the intervals")
      ->capture_default_str();
  command->add_option("--seed", options->bootstrap_options.seed, "Seed of the bootstrap")
      ->capture_default_str()
      ->check(not_negative());
  command->add_flag("--ignore-groups", options->ignore_groups,
                    "Resample single samples even when the file has groups");
  command->add_option("--json", options->json,
                      "Write everything as JSON to this file, '-': stdout");
  command->footer(
      "Example:\n"
      "  cubcal example --out demo\n"
      "  cubcal evaluate demo/test.npz --bootstrap 1000 --json demo/test.json\n"
      "  cubcal evaluate demo/test.npz --clinical --at-sensitivity 0.95 --prevalence 0.02");
  command->callback([options] { evaluate(*options); });
}

}  // namespace cubcal::app
