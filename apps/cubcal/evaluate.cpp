#include <algorithm>
#include <iostream>
#include <memory>

#include "bootstrap_options.h"
#include "clinical_options.h"
#include "commands.h"
#include "cubcal/core/error.h"
#include "cubcal/evaluation/evaluate_file.h"
#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/metrics/bootstrap.h"
#include "evaluation_table.h"
#include "evaluation_text.h"
#include "input_options.h"
#include "logits_input.h"
#include "metric_options.h"
#include "table_output.h"

namespace cubcal::app {

namespace {

struct EvaluateOptions {
  std::vector<std::string> files;
  std::string calibration;
  std::string ood;
  std::string json;
  TableTargets tables;
  InputOptions input;
  MetricOptions metrics;
  ClinicalChoice clinical;
  std::size_t bootstrap = 0;
  BootstrapOptions bootstrap_options;
  bool ignore_groups = false;
};

void check_evaluate_options(const EvaluateOptions& options) {
  std::vector<std::string> inputs = options.files;
  inputs.insert(inputs.end(),
                {options.calibration, options.ood, options.input.reading.labels_file});
  check_output(options.json, inputs);
  for (const std::string& target : options.tables.all()) check_output(target, inputs);
  check_one_stdout(options.tables, options.json);
  check_bootstrap_options(options.bootstrap_options);
  if (options.files.size() == 1) return;
  if (std::count(options.files.begin(), options.files.end(), "-") > 1) {
    throw ArgumentError("standard input, '-', can be read once only");
  }
  if (!options.calibration.empty() || !options.ood.empty()) {
    throw ArgumentError(std::string(options.calibration.empty() ? "--ood" : "--calibration") +
                        " goes with one file, but " + std::to_string(options.files.size()) +
                        " are named");
  }
}

Evaluation evaluation_of(const std::string& path, const EvaluateOptions& options) {
  const LogitsFile file = read_input(path, options.input);
  require_labels(file, "evaluation");
  EvaluationPlan plan{options.metrics};
  plan.by_group = !options.ignore_groups;
  if (options.bootstrap > 0) {
    plan.bootstrap = options.bootstrap_options;
    plan.bootstrap->replicates = options.bootstrap;
  }
  if (options.clinical.wanted)
    plan.clinical = clinical_options(options.clinical, class_labels(file));
  std::optional<LogitsFile> outliers;
  if (!options.ood.empty()) {
    outliers = read_outliers(options.ood, options.input);
    check_same_classes(file, *outliers);
  }
  Evaluation evaluation =
      evaluate_file(file, outliers ? &*outliers : nullptr, options.calibration, plan);
  evaluation.title = describe(file);
  evaluation.class_names = class_labels(file);
  if (outliers) evaluation.detection->title = describe(*outliers);
  return evaluation;
}

void evaluate(const EvaluateOptions& options) {
  check_evaluate_options(options);
  std::vector<Evaluation> evaluations;
  for (const std::string& path : options.files) {
    evaluations.push_back(evaluation_of(path, options));
  }
  const bool is_one = evaluations.size() == 1;
  if (!options.json.empty()) {
    write_text(options.json,
               is_one ? evaluation_json(evaluations.front()) : evaluations_json(evaluations));
  }
  write_tables(options.tables, evaluation_table(evaluations));
  if (options.json == "-" || options.tables.to_stdout()) return;
  if (is_one) {
    print_evaluation(std::cout, evaluations.front());
  } else {
    print_evaluations(std::cout, evaluations);
  }
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command =
      app.add_subcommand("evaluate", "Measure MC logits: accuracy, calibration, uncertainty");
  command
      ->add_option(
          "FILE", options->files,
          ".npz or .pt with logits [S,N,K] or [N,K] and labels [N], .npy, CSV, or '-': standard "
          "input; several make one table")
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
      ->check(enough_replicates(true));
  add_resampling_options(*command, options->bootstrap_options);
  command->add_flag("--ignore-groups", options->ignore_groups,
                    "Resample single samples even when the file has groups");
  add_json_option(*command, options->json);
  add_table_options(*command, options->tables);
  command->footer(
      "Example:\n"
      "  cubcal example --out demo\n"
      "  cubcal evaluate demo/test.npz --bootstrap 1000 --json demo/test.json\n"
      "  cubcal evaluate demo/test.npz --clinical --at-sensitivity 0.95 --prevalence 0.02\n"
      "  cubcal evaluate demo/val.npz demo/test.npz --latex demo/table.tex");
  command->callback([options] { evaluate(*options); });
}

}  // namespace cubcal::app
