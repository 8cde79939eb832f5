#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "commands.h"
#include "cubcal/calibration/calibration.h"
#include "cubcal/core/error.h"
#include "cubcal/evaluation/predict_file.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/utf8.h"
#include "cubcal/monitor/monitor_page.h"
#include "cubcal/monitor/monitoring.h"
#include "cubcal/monitor/monitoring_json.h"
#include "cubcal/monitor/prediction_log.h"
#include "exit_code.h"
#include "input_options.h"
#include "logits_input.h"
#include "monitor_text.h"
#include "option_checks.h"
#include "outside_options.h"
#include "table_output.h"

namespace cubcal::app {

namespace {

struct MonitorCommand {
  std::string reference;
  std::vector<std::string> periods;
  std::string calibration;
  std::string model;  ///< whose answers of logs are taken; empty: all
  std::string json;
  std::string csv;
  std::string html;
  std::string title = "Monitoring";
  InputOptions input;
  OutsideChoice outside;
  bool ignore_groups = false;
  bool ignore_labels = false;
  bool fail_on_alarm = false;
  bool ignore_verdicts = false;  ///< thresholds were given, which decide instead
  MonitorOptions options;
};

/// Files with a column for the detector have it read; logs have their own field.
class PredictionReader {
 public:
  explicit PredictionReader(const MonitorCommand& command)
      : command_(command),
        rule_(outside_rule(command.outside)),
        calibration_(calibration_at(command.calibration)),
        model_(command.model) {}

  Predictions read(const std::string& path) {
    try {
      return read_any(path);
    } catch (const OtherCalibration& error) {
      throw DataError(error.what() + calibration_hint());
    }
  }

  /// Throws ArgumentError where --model named none of what was read.
  void check_model() const { model_.check_only(); }

  const std::vector<std::string>& class_names() const { return classes_.names(); }
  /// What was done to the predictions before they were compared.
  std::string described() const {
    std::string text;
    if (logits_ > 0) {
      text = calibration_ ? std::string("Logits were calibrated with ") +
                                method_name(calibration_->method) + "."
                          : "Logits were not calibrated.";
    }
    if (logs_ > 0) {
      text +=
          (text.empty() ? "" : " ") + std::string("Logs of predictions were taken as they are.");
      if (logits_ > 0 && !model_.says_calibration()) {
        text += " Not all of them say whether they are calibrated: they must be as the logits are.";
      }
      if (!command_.model.empty()) {
        text += " Of logs, only answers of " + in_quotes(command_.model) + " count.";
      }
    }
    return text;
  }

 private:
  Predictions read_any(const std::string& path) {
    const bool is_first = !has_read_;
    has_read_ = true;
    if (path != "-" && is_prediction_log(path)) {
      if (!rule_ || rule_->of_p_values) {
        ++logs_;
        return read_log(path);
      }
      throw ArgumentError("--ood-score goes with logits, but '" + path +
                          "' is a log of predictions");
    }
    InputOptions input = command_.input;
    if (rule_) input.reading.columns = {rule_->column};
    if (command_.ignore_labels) input.reading.with_labels = false;
    const LogitsFile file = read_input(path, input);
    ++logits_;
    ModelMark mark;
    mark.weights_hash = file.weights_hash;
    if (calibration_) {
      mark.calibration = method_name(calibration_->method);
    } else if (!input.probabilities) {
      mark.calibration = "";
    }
    model_.check(mark, "'" + path + "'");
    const std::size_t classes = McLogits(file.logits).classes();
    if (is_first) {
      classes_ = ClassList(file.class_names, classes);
    } else if (classes != classes_.size()) {
      throw DataError("'" + path + "' has " + std::to_string(classes) + " classes, but '" +
                      command_.reference + "' has " + std::to_string(classes_.size()));
    } else if (!file.class_names.empty() && classes_.has_names() &&
               file.class_names != classes_.names()) {
      throw DataError("'" + path + "' and '" + command_.reference +
                      "' do not name the same classes");
    }
    return predictions_of(file, predict_file(file, calibration_),
                          rule_ ? outside_flags(file, *rule_) : std::vector<std::uint8_t>{});
  }

  Predictions read_log(const std::string& path) {
    try {
      return read_prediction_log(path, {command_.outside.alpha, !command_.ignore_verdicts},
                                 classes_, model_);
    } catch (const OtherModel& error) {
      throw DataError(std::string(error.what()) + "; --model takes those of one");
    }
  }

  std::string calibration_hint() const {
    if (calibration_) {
      return "; --calibration must be what the answers of the log were calibrated with, and left "
             "out where they were not";
    }
    return "; --calibration applies one to logits, the model's own being calibration.json of its "
           "folder";
  }

  const MonitorCommand& command_;
  std::optional<OutsideRule> rule_;
  std::optional<Calibration> calibration_;
  ClassList classes_;
  AnsweringModel model_;
  std::size_t logs_ = 0;
  std::size_t logits_ = 0;
  bool has_read_ = false;
};

/// The names of files without folder and ending, where that tells them apart.
void name_periods(std::vector<Predictions>& periods) {
  std::set<std::string> stems;
  for (const Predictions& each : periods) {
    stems.insert(std::filesystem::path(each.name).stem().string());
  }
  if (stems.size() < periods.size()) return;
  for (Predictions& each : periods) each.name = std::filesystem::path(each.name).stem().string();
}

std::vector<std::string> reading_warnings(const Predictions& reference,
                                          const std::vector<Predictions>& periods) {
  std::vector<std::string> warnings = reference.warnings;
  for (const Predictions& each : periods) {
    warnings.insert(warnings.end(), each.warnings.begin(), each.warnings.end());
  }
  return warnings;
}

void check_monitor_command(const MonitorCommand& command) {
  std::vector<std::string> inputs = command.periods;
  inputs.insert(inputs.end(), {command.reference, command.calibration});
  for (const std::string& output : {command.json, command.csv, command.html}) {
    check_output(output, inputs);
  }
  if (command.json == "-" && command.csv == "-") {
    throw ArgumentError("only one of --json and --csv can be '-'");
  }
  if (command.html == "-") throw ArgumentError("--html needs the name of a file");
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    throw ArgumentError("standard input, '-', can be read once only");
  }
  check_monitor_options(command.options);
}

void run_monitor(MonitorCommand command) {
  command.options.drift.by_group = !command.ignore_groups;
  check_monitor_command(command);
  PredictionReader reader(command);
  const Predictions reference = reader.read(command.reference);
  std::vector<Predictions> periods;
  for (const std::string& path : command.periods) periods.push_back(reader.read(path));
  reader.check_model();
  if (command.ignore_labels) {
    for (Predictions& each : periods) each.labels.clear();
  }
  name_periods(periods);
  const Monitoring result = monitor(reference, periods, reader.class_names(), command.options);
  const std::vector<std::string> warnings = reading_warnings(reference, periods);
  for (const std::string& each : warnings) {
    std::cerr << "cubcal: warning: " << printable(each) << '\n';
  }
  if (!command.json.empty()) {
    const MonitoringSource source{command.periods, command.calibration, warnings};
    write_text(command.json, monitoring_document(result, source));
  }
  if (!command.csv.empty()) write_text(command.csv, monitoring_csv(result));
  if (!command.html.empty()) {
    write_file_atomically(command.html, report::monitor_page(result, command.title,
                                                             "Reference: " + command.reference +
                                                                 ". " + reader.described()));
  }
  if (command.json != "-" && command.csv != "-") {
    std::cout << "Reference " << command.reference << ": " << result.reference.predictions
              << " predictions, " << result.class_names.size() << " classes. " << reader.described()
              << '\n';
    print_monitoring(std::cout, result);
  }
  if (command.fail_on_alarm && result.alarms() > 0) throw ExitCode(kAlarmExit);
}

}  // namespace

void add_monitor(CLI::App& app) {
  auto options = std::make_shared<MonitorCommand>();
  CLI::App* command = app.add_subcommand(
      "monitor", "Watch a model in use without labels: rates, expected accuracy, drift alarms");
  command
      ->add_option("REFERENCE", options->reference,
                   "What is normal: .npz or .pt with logits, or a log of predictions")
      ->required();
  command
      ->add_option(
          "NEW", options->periods,
          "Periods in the order of time, a file each: .npz or .pt with logits, CSV, or a log of "
          "predictions as 'cubcal predict --json' or JSON lines")
      ->required();
  command->add_option("--calibration", options->calibration,
                      "Apply this calibration to logits (from 'cubcal calibrate'); logs are taken "
                      "as they are");
  command->add_option("--model", options->model,
                      "Of logs, take only the answers of the model of this name, or with a hash of "
                      "weights or decision that starts so (default: all, which must be of one)");
  command
      ->add_option("--refer-above", options->options.drift.refer_above,
                   "Uncertainty above which a prediction is referred, in nats; given, or with "
                   "--ood-alpha, it decides instead of the verdicts of logs")
      ->capture_default_str();
  add_outside_options(*command, options->outside);
  command
      ->add_option("--alarm-rate", options->options.alarm_rate,
                   "Chance of any alarm in all tests and periods where nothing drifts")
      ->capture_default_str();
  command
      ->add_option("--periods", options->options.planned_periods,
                   "Periods planned, to correct for (default: as many as are given); alarms then "
                   "stay when further periods come")
      ->check(within(std::size_t{1}, std::size_t{100000}));
  command
      ->add_option("--permutations", options->options.drift.permutations,
                   "Divisions drawn for each p-value, at most")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{100000000}));
  command->add_option("--level", options->options.level, "Coverage of the intervals")
      ->capture_default_str();
  command->add_option("--seed", options->options.drift.seed, "Seed of the divisions")
      ->capture_default_str();
  command->add_flag("--ignore-groups", options->ignore_groups,
                    "Take every prediction as independent even where patients are named");
  command->add_flag("--ignore-labels", options->ignore_labels,
                    "Do not look at labels of logits, and show no actual accuracy of the periods");
  add_input_options(*command, options->input);
  add_json_option(*command, options->json);
  command->add_option("--csv", options->csv, "Write the numbers as CSV to this file, '-': stdout");
  command->add_option("--html", options->html, "Write a page with charts over time to this file");
  command->add_option("--title", options->title, "Title of that page")->capture_default_str();
  command->add_flag("--fail-on-alarm", options->fail_on_alarm,
                    "End with exit code 3 where there is an alarm (else 0)");
  command->footer(
      "Example:\n"
      "  cubcal example --out demo\n"
      "  cubcal example --out june --seed 7\n"
      "  cubcal example --out july --seed 8 --evidence 1.2\n"
      "  cubcal calibrate demo/val.npz -o demo/cal.json\n"
      "  cubcal monitor demo/test.npz june/test.npz july/test.npz --calibration demo/cal.json \\\n"
      "    --html monitor.html");
  command->callback([options, command] {
    options->ignore_verdicts =
        command->count("--refer-above") > 0 || command->count("--ood-alpha") > 0;
    run_monitor(*options);
  });
}

}  // namespace cubcal::app
