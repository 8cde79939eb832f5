#include <iostream>
#include <memory>

#include "bootstrap_options.h"
#include "commands.h"
#include "cubcal/core/error.h"
#include "cubcal/evaluation/predict_file.h"
#include "cubcal/prevalence/prior_correction.h"
#include "input_options.h"
#include "logits_input.h"
#include "metric_options.h"
#include "predictions_output.h"
#include "prevalence_options.h"
#include "prevalence_text.h"
#include "table_output.h"

namespace cubcal::app {

namespace {

struct PrevalenceCommand {
  std::string file;
  std::string new_file;
  std::string calibration;
  PrevalenceChoice choice;
  std::size_t bootstrap = 0;
  BootstrapOptions bootstrap_options;
  bool ignore_groups = false;
  std::string output;
  std::string json;
  TableTargets tables;
  InputOptions input;
  MetricOptions metrics;
};

void check_prevalence_command(const PrevalenceCommand& command) {
  if (command.choice.to.empty() && command.new_file.empty()) {
    throw ArgumentError(
        "--to, a stated prevalence, or --new, a file to estimate it from, is needed");
  }
  if (command.file == "-" && command.new_file == "-") {
    throw ArgumentError("standard input, '-', can be read once only");
  }
  if (!command.output.empty()) check_predictions_name(command.output);
  std::vector<std::string> outputs = command.tables.all();
  outputs.insert(outputs.end(), {command.json, command.output});
  for (const std::string& output : outputs) {
    check_output(output, {command.file, command.new_file, command.calibration});
  }
  check_one_stdout(command.tables, command.json);
  check_bootstrap_options(command.bootstrap_options);
}

PrevalenceOptions study_options(const PrevalenceCommand& command, const LogitsFile& file) {
  const std::vector<std::string> names = class_labels(file);
  PrevalenceOptions options =
      prevalence_options(command.choice, names, label_shares(file.labels, names.size()));
  options.metrics = command.metrics;
  if (command.bootstrap > 0) {
    options.bootstrap = command.bootstrap_options;
    options.bootstrap->replicates = command.bootstrap;
  }
  return options;
}

/// Corrected probabilities of the new samples, or without them of the labelled ones.
void write_corrected(const PrevalenceCommand& command, const LogitsFile& file,
                     const Predictive& predictive, const PrevalenceStudy& study) {
  Predictions predictions;
  predictions.predictive = correct_priors(predictive, study.from, study.to);
  predictions.has_parts = false;
  write_predictions(command.output, file, predictions);
}

void prevalence(const PrevalenceCommand& command) {
  check_prevalence_command(command);
  const LogitsFile file = read_input(command.file, command.input);
  require_labels(file, "another prevalence");
  const PrevalenceOptions options = study_options(command, file);
  PrevalenceReport result;
  PrevalenceTitles titles;
  result.file = file.path;
  titles.labelled = describe(file);
  result.class_names = options.class_names;
  result.calibration = calibration_at(command.calibration);
  const Predictive predictive = predict_file(file, result.calibration);
  const auto groups_of = [&](const LogitsFile& each) {
    return command.ignore_groups ? std::vector<std::string>{} : each.groups;
  };
  const LabelledSamples labelled{predictive, file.labels, groups_of(file)};

  std::optional<LogitsFile> new_file;
  Predictive new_predictive;
  std::optional<NewSamples> fresh;
  if (!command.new_file.empty()) {
    new_file = read_outliers(command.new_file, command.input);
    check_same_classes(file, *new_file);
    result.new_file = new_file->path;
    titles.fresh = describe(*new_file);
    new_predictive = predict_file(*new_file, result.calibration);
    fresh.emplace(NewSamples{new_predictive, groups_of(*new_file)});
  }
  result.study = study_prevalence(labelled, fresh, options);
  result.bootstrap_by_group = !labelled.groups.empty() || (fresh && !fresh->groups.empty());
  if (!command.output.empty()) {
    write_corrected(command, new_file ? *new_file : file, new_file ? new_predictive : predictive,
                    result.study);
  }
  if (!command.json.empty()) write_text(command.json, prevalence_json(result).dump(2) + "\n");
  write_tables(command.tables, prevalence_table(result));
  if (command.json == "-" || command.tables.to_stdout()) return;
  print_prevalence(std::cout, titles, result);
  if (!command.output.empty()) {
    std::cout << "wrote " << command.output << ": corrected probabilities of "
              << (new_file ? new_file->path : file.path) << '\n';
  }
}

}  // namespace

void add_prevalence(CLI::App& app) {
  auto options = std::make_shared<PrevalenceCommand>();
  CLI::App* command = app.add_subcommand(
      "prevalence", "Probabilities, metrics and promises where classes are more or less frequent");
  command->add_option("FILE", options->file, ".npz or .pt with logits and labels")->required();
  add_prevalence_options(*command, options->choice);
  command->add_option("--new", options->new_file,
                      "Logits from the new place, without labels: its prevalence is estimated, and "
                      "used unless --to is given");
  command->add_option("--calibration", options->calibration,
                      "Apply this calibration first (from 'cubcal calibrate')");
  command
      ->add_option("--bootstrap", options->bootstrap,
                   "Replicates for intervals (0: none), by group when the files have groups")
      ->capture_default_str()
      ->check(enough_replicates(true, 100000));
  add_resampling_options(*command, options->bootstrap_options);
  command->add_flag("--ignore-groups", options->ignore_groups,
                    "Resample single samples even when the files have groups");
  add_input_options(*command, options->input);
  add_metric_options(*command, options->metrics);
  command->add_option("-o,--output", options->output,
                      "Write corrected probabilities, of --new where given, else of FILE: .npz or "
                      ".csv");
  add_json_option(*command, options->json);
  add_table_options(*command, options->tables);
  command->footer(
      "Example:\n"
      "  cubcal example --out demo\n"
      "  cubcal prevalence demo/val.npz --to malignant=0.02 --refer-above 0.325\n"
      "  cubcal prevalence demo/val.npz --new demo/test.npz --bootstrap 100 -o demo/corrected.csv");
  command->callback([options] { prevalence(*options); });
}

}  // namespace cubcal::app
