#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "commands.h"
#include "conformal_text.h"
#include "cubcal/calibration/calibration.h"
#include "cubcal/conformal/conformal_json.h"
#include "cubcal/conformal/prediction_sets.h"
#include "cubcal/core/check.h"
#include "cubcal/evaluation/predict_file.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/csv.h"
#include "input_options.h"
#include "logits_input.h"
#include "option_checks.h"
#include "table_output.h"

namespace cubcal::app {

namespace {

struct ConformalCommand {
  std::string calibration_file;
  std::string test_file;
  std::string temperature_file;
  std::string score = "lac";
  std::string by;
  std::vector<std::string> subgroups;
  std::string output;
  std::string json;
  bool randomised = false;
  std::uint64_t seed = 0;
  double level = 0.95;
  InputOptions input;
  ConformalOptions options;
};

constexpr const char* kByClass = "class";

/// The column that thresholds are kept apart by; empty where there is none.
std::string column_of(const ConformalCommand& command) {
  return command.by == kByClass ? std::string() : command.by;
}

LogitsFile read_file(const std::string& path, const ConformalCommand& command,
                     bool with_subgroups) {
  InputOptions input = command.input;
  const std::string column = column_of(command);
  if (!column.empty()) input.reading.columns.push_back(column);
  for (const std::string& each : command.subgroups) {
    if (with_subgroups && each != column) input.reading.columns.push_back(each);
  }
  return read_input(path, input);
}

std::vector<std::string> groups_of(const LogitsFile& file, const std::string& column) {
  return column.empty() ? std::vector<std::string>{} : column_values(file, column);
}

/// "benign|other".
std::string set_text(const std::uint8_t* set, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (set[k] != 0) text += (text.empty() ? "" : "|") + names[k];
  }
  return text;
}

void write_sets(const std::string& path, const LogitsFile& file, const Predictive& predictive,
                const std::vector<std::uint8_t>& sets) {
  const std::vector<std::string> names = class_labels(file);
  std::vector<std::string> header{"sample", "file", "label", "predicted", "size", "set"};
  std::string text = csv_row(header);
  for (std::size_t i = 0; i < predictive.samples; ++i) {
    const std::uint8_t* set = &sets[i * names.size()];
    text += csv_row({std::to_string(i), file.files.empty() ? "" : no_formula(file.files[i]),
                     file.has_labels ? names[static_cast<std::size_t>(file.labels[i])] : "",
                     names[static_cast<std::size_t>(predictive.predicted[i])],
                     std::to_string(std::accumulate(set, set + names.size(), 0)),
                     no_formula(set_text(set, names))});
  }
  write_file_atomically(path, text);
}

void conformal(ConformalCommand command) {
  for (const std::string& output : {command.output, command.json}) {
    check_output(output, {command.calibration_file, command.test_file, command.temperature_file});
  }
  command.options.score.score = score_from_name(command.score);
  command.options.by_class = command.by == kByClass;
  if (command.randomised) command.options.score.seed = command.seed;
  check_in_open("the interval level", command.level, 0, 1);
  check_in_open("alpha", command.options.alpha, 0, 1);
  const LogitsFile calibration = read_file(command.calibration_file, command, false);
  require_labels(calibration, "fitting prediction sets");
  const LogitsFile test = read_file(command.test_file, command, true);
  check_same_classes(calibration, test);
  warn_of_same_samples(calibration, test);
  const std::optional<Calibration> temperatures = calibration_at(command.temperature_file);
  if (temperatures) {
    for (const LogitsFile* file : {&calibration, &test}) {
      warn_of_fitted_samples(*temperatures, command.temperature_file, *file);
    }
  }
  const std::string column = column_of(command);
  const ConformalRule rule =
      fit_conformal(predict_file(calibration, temperatures), calibration.labels,
                    groups_of(calibration, column), command.options);
  const Predictive predictive = predict_file(test, temperatures);
  const std::vector<std::uint8_t> sets = prediction_sets(rule, predictive, groups_of(test, column));
  if (!command.output.empty()) write_sets(command.output, test, predictive, sets);
  const ConformalStudy study =
      study_sets(rule, column, sets,
                 {class_labels(test), test.labels, test.columns, test.has_labels}, command.level);
  if (!command.json.empty()) write_text(command.json, conformal_json(study).dump(2) + "\n");
  if (command.json == "-") return;
  print_conformal(
      std::cout,
      {describe(calibration), describe(test), !calibration.groups.empty() || !test.groups.empty()},
      study);
}

}  // namespace

void add_conformal(CLI::App& app) {
  auto options = std::make_shared<ConformalCommand>();
  CLI::App* command = app.add_subcommand(
      "conformal", "Sets of classes that hold the true one as often as promised");
  command
      ->add_option("CALIBRATION", options->calibration_file,
                   ".npz or .pt with logits and labels the model was not trained on")
      ->required();
  command->add_option("--test", options->test_file, "Logits of the samples that get sets")
      ->required();
  command
      ->add_option("--alpha", options->options.alpha,
                   "Share of samples whose set may lack the true class")
      ->capture_default_str();
  command->add_option("--score", options->score, "What is held against the threshold")
      ->capture_default_str()
      ->type_name(one_of({"lac", "aps", "raps"}));
  command->add_option("--by", options->by,
                      "Keep the promise for each 'class', or each value of this column, by itself");
  command
      ->add_option("--subgroups", options->subgroups,
                   "Columns to show coverage and size by: sex,site")
      ->delimiter(',');
  command->add_option("--calibration", options->temperature_file,
                      "Apply these temperatures first (from 'cubcal calibrate')");
  command
      ->add_option("--penalty", options->options.score.penalty,
                   "raps: added for each class beyond the free ones")
      ->capture_default_str();
  command
      ->add_option("--free-classes", options->options.score.free_classes,
                   "raps: classes without penalty")
      ->capture_default_str()
      ->check(within(std::size_t{0}, std::size_t{2048}));
  command->add_flag("--randomised", options->randomised,
                    "aps, raps: draw the last class's place in the set, for exact coverage");
  command->add_option("--seed", options->seed, "Seed of --randomised")->capture_default_str();
  command->add_option("--level", options->level, "Level of the intervals")->capture_default_str();
  add_input_options(*command, options->input);
  command->add_option("-o,--output", options->output, "Write the set of each sample as CSV");
  add_json_option(*command, options->json);
  command->footer(
      "Example:\n"
      "  cubcal example --out demo\n"
      "  cubcal conformal demo/val.npz --test demo/test.npz --alpha 0.1 --score aps --by class");
  command->callback([options] { conformal(*options); });
}

}  // namespace cubcal::app
