#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "benefit_options.h"
#include "benefit_text.h"
#include "bootstrap_options.h"
#include "commands.h"
#include "cubcal/benefit/benefit_chart.h"
#include "cubcal/evaluation/predict_file.h"
#include "cubcal/io/atomic_file.h"
#include "input_options.h"
#include "logits_input.h"
#include "table_output.h"

namespace cubcal::app {

namespace {

struct BenefitCommand {
  std::string file;
  std::string calibration;
  BenefitChoice choice;
  std::size_t bootstrap = 0;
  BootstrapOptions bootstrap_options;
  std::string by_column;
  bool ignore_groups = false;
  std::string json;
  std::string svg;
  TableTargets tables;
  InputOptions input;
};

void check_outputs(const BenefitCommand& command) {
  if (!command.svg.empty()) check_svg_name(command.svg);
  std::vector<std::string> outputs = command.tables.all();
  outputs.insert(outputs.end(), {command.json, command.svg});
  for (const std::string& output : outputs) {
    check_output(output, {command.file, command.calibration, command.input.reading.labels_file});
  }
  check_one_stdout(command.tables, command.json);
}

LogitsFile read_cases(const BenefitCommand& command) {
  InputOptions input = command.input;
  std::vector<std::string>& columns = input.reading.columns;
  for (const std::string& column :
       {command.choice.scope_column, command.choice.verdict_column, command.by_column}) {
    const bool is_new = std::find(columns.begin(), columns.end(), column) == columns.end();
    if (!column.empty() && is_new) columns.push_back(column);
  }
  LogitsFile file = read_input(command.file, input);
  require_labels(file, "net benefit");
  return file;
}

std::vector<std::string> resampled_groups(const BenefitCommand& command, const LogitsFile& file) {
  if (!command.by_column.empty()) return column_values(file, command.by_column);
  return command.ignore_groups ? std::vector<std::string>{} : file.groups;
}

void benefit(const BenefitCommand& command) {
  check_outputs(command);
  check_bootstrap_options(command.bootstrap_options);
  const BenefitOptions options = benefit_options(command.choice);
  if (!command.svg.empty() && options.thresholds.size() == 1) {
    throw ArgumentError(
        "--svg draws a curve, which takes several thresholds: --threshold 0.05:0.5");
  }
  const LogitsFile file = read_cases(command);
  const std::vector<std::string> names = class_labels(file);
  const std::vector<std::uint8_t> positive = positive_classes(command.choice, names);

  BenefitReport result;
  result.file = file.path;
  if (command.choice.has_policy()) result.policy = policy_words(command.choice);
  result.calibration = calibration_at(command.calibration);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (positive[k] != 0) result.positive.push_back(names[k]);
  }
  const Predictive predictive = predict_file(file, result.calibration);
  BenefitCases cases = benefit_cases(predictive, file.labels, positive);
  cases.decisions = policy_decisions(command.choice, file, predictive);
  result.cases = cases.size();
  result.diseased = static_cast<std::size_t>(
      std::count(cases.diseased.begin(), cases.diseased.end(), std::uint8_t{1}));
  result.curve = benefit_curve(cases, options);
  if (command.bootstrap > 0) {
    const std::vector<std::string> groups = resampled_groups(command, file);
    result.bootstrap = command.bootstrap_options;
    result.bootstrap->replicates = command.bootstrap;
    result.bootstrap_by_group = !groups.empty();
    add_benefit_intervals(result.curve, cases, groups, *result.bootstrap);
  }
  if (!command.json.empty()) write_text(command.json, benefit_json(result).dump(2) + "\n");
  if (!command.svg.empty()) write_file_atomically(command.svg, benefit_chart(result.curve));
  write_tables(command.tables, benefit_table(result));
  if (command.json == "-" || command.tables.to_stdout()) return;
  print_benefit(std::cout, describe(file), result);
  if (!command.svg.empty()) std::cout << "wrote " << command.svg << '\n';
}

}  // namespace

void add_benefit(CLI::App& app) {
  auto options = std::make_shared<BenefitCommand>();
  CLI::App* command = app.add_subcommand(
      "benefit", "What accepting, referring and treating is worth: decision curves, costs");
  command->add_option("FILE", options->file, ".npz or .pt with logits and labels")->required();
  add_benefit_options(*command, options->choice);
  command->add_option("--calibration", options->calibration,
                      "Apply this calibration first (from 'cubcal calibrate')");
  command
      ->add_option("--bootstrap", options->bootstrap,
                   "Replicates for intervals (0: none), by group when the file has groups")
      ->capture_default_str()
      ->check(enough_replicates(true));
  add_resampling_options(*command, options->bootstrap_options);
  CLI::Option* by_column = command->add_option("--by-column", options->by_column,
                                               "Resample by this column, such as patient, instead");
  command
      ->add_flag("--ignore-groups", options->ignore_groups,
                 "Resample single samples even when the file has groups")
      ->excludes(by_column);
  add_input_options(*command, options->input);
  add_labels_option(*command, options->input);
  command->add_option("--svg", options->svg, "Draw the decision curve");
  add_json_option(*command, options->json);
  add_table_options(*command, options->tables);
  command->footer(
      "Net benefit is Vickers' and Elkin's, in diseases found per patient, with referrals priced:\n"
      "  NB = TP/N - pt/(1-pt) FP/N - cost R/N\n"
      "A referred case is answered by the expert, who is assumed to be always right.\n\n"
      "Example:\n"
      "  cubcal example --out demo\n"
      "  cubcal benefit demo/test.npz --positive malignant --threshold 0.05:0.5 "
      "--refer-above 0.325 --referral-cost 0.05 --bootstrap 200 --svg demo/benefit.svg\n"
      "  cubcal benefit demo/test.npz --positive malignant --refer-above 0.325 --cost-miss 100 "
      "--cost-false-alarm 5 --cost-referral 2");
  command->callback([options] { benefit(*options); });
}

}  // namespace cubcal::app
