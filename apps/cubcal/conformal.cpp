#include <iostream>
#include <map>
#include <memory>
#include <numeric>

#include "commands.h"
#include "conformal_text.h"
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

/// Summaries of the samples that share a value.
std::vector<SetSummary> summaries_by(const std::vector<std::string>& values,
                                     const std::vector<std::uint8_t>& sets, std::size_t classes,
                                     const std::vector<std::int64_t>& labels, double level) {
  std::map<std::string, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < values.size(); ++i) members[values[i]].push_back(i);
  std::vector<SetSummary> summaries;
  summaries.reserve(members.size());
  for (const auto& [value, samples] : members) {
    summaries.push_back(
        summarise_sets(value.empty() ? "(empty)" : value, sets, classes, labels, samples, level));
  }
  return summaries;
}

ConformalResult result_of(const ConformalCommand& command, const LogitsFile& calibration,
                          const LogitsFile& test, const ConformalRule& rule,
                          const std::vector<std::uint8_t>& sets) {
  const std::vector<std::string> names = class_labels(test);
  const std::size_t samples = sets.size() / names.size();
  const std::string column = column_of(command);
  ConformalResult result;
  result.rule = rule;
  result.calibration_title = describe(calibration);
  result.test_title = describe(test);
  result.class_names = names;
  result.column = column;
  result.level = command.level;
  result.has_labels = test.has_labels;
  result.has_groups = !calibration.groups.empty() || !test.groups.empty();
  std::vector<std::size_t> everyone(samples);
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  result.overall = summarise_sets("all", sets, names.size(), test.labels, everyone, command.level);
  if (test.has_labels) {
    SetTable by_label{"label", {}};
    for (std::size_t k = 0; k < names.size(); ++k) {
      std::vector<std::size_t> members;
      for (const std::size_t i : everyone) {
        if (test.labels[i] == static_cast<std::int64_t>(k)) members.push_back(i);
      }
      by_label.rows.push_back(
          summarise_sets(names[k], sets, names.size(), test.labels, members, command.level));
    }
    result.tables.push_back(std::move(by_label));
  }
  for (const SampleColumn& each : test.columns) {
    result.tables.push_back(
        {each.name, summaries_by(each.values, sets, names.size(), test.labels, command.level)});
  }
  return result;
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
  const ConformalResult result = result_of(command, calibration, test, rule, sets);
  if (!command.json.empty()) write_text(command.json, conformal_json(result));
  if (command.json != "-") print_conformal(std::cout, result);
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
      ->check(CLI::Range(std::size_t{0}, std::size_t{2048}));
  command->add_flag("--randomised", options->randomised,
                    "aps, raps: draw the last class's place in the set, for exact coverage");
  command->add_option("--seed", options->seed, "Seed of --randomised")
      ->capture_default_str()
      ->check(not_negative());
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
