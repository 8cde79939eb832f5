#include "cubcal/audit/audit.h"

#include <algorithm>
#include <iostream>
#include <memory>

#include "audit_text.h"
#include "bootstrap_options.h"
#include "commands.h"
#include "cubcal/audit/audit_json.h"
#include "cubcal/calibration/calibration.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/evaluation/predict_file.h"
#include "input_options.h"
#include "logits_input.h"
#include "metric_options.h"
#include "option_checks.h"
#include "outside_options.h"
#include "progress_bar.h"
#include "table_output.h"

namespace cubcal::app {

namespace {

struct AuditCommand {
  std::string file;
  std::vector<std::string> by;
  std::vector<std::string> cuts;
  std::string calibration;
  std::string json;
  TableTargets tables;
  InputOptions input;
  MetricOptions metrics;
  OutsideChoice outside;
  std::optional<double> refer_above;
  bool ignore_groups = false;
  AuditOptions options;
};

/// "age=40,65".
void add_cut(ColumnCuts& cuts, const std::string& text) {
  const std::size_t sign = text.rfind('=');
  const std::string name = text.substr(0, sign);
  if (sign == std::string::npos || name.empty()) {
    throw ArgumentError("--cuts must be COLUMN=NUMBER,NUMBER..., not '" + text + "'");
  }
  std::vector<double> numbers;
  for (std::size_t first = sign + 1; first <= text.size();) {
    const std::size_t end = std::min(text.find(',', first), text.size());
    const std::optional<double> number = parse_number(text.substr(first, end - first));
    if (!number) {
      throw ArgumentError("--cuts must be COLUMN=NUMBER,NUMBER..., not '" + text + "'");
    }
    numbers.push_back(*number);
    first = end + 1;
  }
  if (!cuts.emplace(name, std::move(numbers)).second) {
    throw ArgumentError("--cuts names the column '" + name + "' twice");
  }
}

void check_cut_columns(const ColumnCuts& cuts, const LogitsFile& file) {
  for (const auto& each : cuts) {
    const bool is_audited =
        std::any_of(file.columns.begin(), file.columns.end(),
                    [&](const SampleColumn& column) { return column.name == each.first; });
    if (!is_audited) {
      throw ArgumentError("--cuts names the column '" + each.first + "', which is not audited");
    }
  }
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "sex*site" as the names of the columns that are crossed; a column alone is one name.
std::vector<std::string> crossed_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find('*', first), text.size());
    names.push_back(text.substr(first, end - first));
    if (names.back().empty() || std::count(names.begin(), names.end(), names.back()) > 1) {
      throw ArgumentError("--by crosses different columns, as sex*site does, not '" + text + "'");
    }
    first = end + 1;
  }
  return names;
}

LogitsFile read_columns(const AuditCommand& command, const std::optional<OutsideRule>& rule) {
  InputOptions input = command.input;
  std::vector<std::string>& wanted = input.reading.columns;
  for (const std::string& each : command.by) {
    for (const std::string& name : crossed_names(each)) {
      if (!contains(wanted, name)) wanted.push_back(name);
    }
  }
  input.reading.all_columns = command.by.empty();
  if (rule && !command.by.empty() && !contains(wanted, rule->column)) {
    wanted.push_back(rule->column);
  }
  LogitsFile file = read_input(command.file, input);
  require_labels(file, "an audit");
  return file;
}

/// Without the column of the OOD detector, unless it was asked for by name.
std::vector<SampleColumn> audited_columns(const AuditCommand& command, const LogitsFile& file,
                                          const std::optional<OutsideRule>& rule) {
  std::vector<SampleColumn> columns;
  for (const SampleColumn& column : file.columns) {
    const bool is_wanted = command.by.empty() ? !rule || column.name != rule->column
                                              : contains(command.by, column.name);
    if (is_wanted) columns.push_back(column);
  }
  if (columns.empty() && command.by.empty()) {
    throw DataError("'" + file.path +
                    "' has no further columns (arrays column_<name> [N]) to audit by");
  }
  return columns;
}

/// Those that '*' joins.
std::vector<std::vector<SampleColumn>> crossed_columns(const AuditCommand& command,
                                                       const LogitsFile& file) {
  std::vector<std::vector<SampleColumn>> crosses;
  for (const std::string& each : command.by) {
    const std::vector<std::string> names = crossed_names(each);
    if (names.size() == 1) continue;
    std::vector<SampleColumn>& cross = crosses.emplace_back();
    for (const std::string& name : names) cross.push_back({name, column_values(file, name)});
  }
  return crosses;
}

/// A column asked for by name must make groups.
void refuse_skipped(const AuditCommand& command, const Audit& audit) {
  for (const SkippedColumn& each : audit.skipped) {
    if (contains(command.by, each.column)) {
      throw DataError("'" + command.file + "': " + each.reason);
    }
  }
}

void run_audit(AuditCommand command) {
  const std::vector<std::string> inputs{command.file, command.calibration,
                                        command.input.reading.labels_file};
  check_output(command.json, inputs);
  for (const std::string& target : command.tables.all()) check_output(target, inputs);
  check_one_stdout(command.tables, command.json);
  for (const std::string& text : command.cuts) add_cut(command.options.cuts, text);
  command.options.refer_above = command.refer_above.value_or(command.metrics.uncertainty_threshold);
  check_audit_options(command.options);
  for (auto name = command.by.begin(); name != command.by.end(); ++name) {
    if (std::find(command.by.begin(), name, *name) == name) continue;
    throw ArgumentError("--by names the column '" + *name + "' twice");
  }
  const std::optional<OutsideRule> rule = outside_rule(command.outside);
  const LogitsFile file = read_columns(command, rule);
  check_cut_columns(command.options.cuts, file);
  const std::vector<SampleColumn> columns = audited_columns(command, file, rule);
  const std::optional<Calibration> calibration = calibration_at(command.calibration);
  const SampleFacts facts =
      sample_facts(predict_file(file, calibration), file.labels, command.metrics);
  ProgressBar bar("resampling");
  const Audit audit = audit_subgroups(
      facts, columns, command.ignore_groups ? std::vector<std::string>{} : file.groups,
      rule ? outside_flags(file, *rule) : std::vector<std::uint8_t>{}, command.options,
      crossed_columns(command, file),
      [&](std::size_t done, std::size_t of) { bar.show(done, of); });
  bar.wipe();
  refuse_skipped(command, audit);
  if (!command.json.empty()) {
    const AuditSource source{file.path, calibration ? method_name(calibration->method) : "",
                             rule ? rule->text() : ""};
    write_text(command.json, audit_document(audit, source));
  }
  write_tables(command.tables, audit_table(audit));
  if (command.json == "-" || command.tables.to_stdout()) return;
  std::cout << describe(file) << '\n';
  if (calibration) std::cout << "Calibrated with " << method_name(calibration->method) << '\n';
  if (rule) std::cout << "Out of scope: " << rule->text() << '\n';
  print_audit(std::cout, audit);
}

}  // namespace

void add_audit(CLI::App& app) {
  auto options = std::make_shared<AuditCommand>();
  CLI::App* command = app.add_subcommand(
      "audit", "Compare each subgroup (sex, site, age) with the rest: gaps, intervals, p-values");
  command
      ->add_option("FILE", options->file,
                   ".npz or .pt with logits, labels and arrays column_<name> [N], CSV, or '-'")
      ->required();
  command
      ->add_option("--by", options->by,
                   "Columns to audit by: sex,site (default: all there are); sex*site: each "
                   "combination of both")
      ->delimiter(',');
  command
      ->add_option("--cuts", options->cuts,
                   "Cut a column of numbers at these: age=40,65; else more than 15 values are cut "
                   "into quarters")
      ->allow_extra_args(false);
  command->add_option("--calibration", options->calibration,
                      "Apply this calibration first (from 'cubcal calibrate')");
  command->add_option("--refer-above", options->refer_above,
                      "Uncertainty above which a sample is referred, in nats (default: --eta)");
  add_outside_options(*command, options->outside);
  command
      ->add_option("--fewest", options->options.fewest,
                   "Patients (samples without 'groups') a group and the rest need to be compared")
      ->capture_default_str()
      ->check(within(std::size_t{2}, std::size_t{1000000}));
  command
      ->add_option("--alarm-rate", options->options.alarm_rate,
                   "Chance that any gap is called found where there is none")
      ->capture_default_str();
  command
      ->add_option("--test", options->options.tested,
                   "Values whose gaps are tested: accuracy,referral (default: all); fewer make "
                   "sharper p-values")
      ->delimiter(',');
  command->add_option("--margin", options->options.margin,
                      "A gap of shares that would matter, as 0.05: says where it is ruled out");
  command
      ->add_option("--permutations", options->options.permutations, "Shuffles behind the p-values")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{1000000}));
  command
      ->add_option("--bootstrap", options->options.bootstrap.replicates,
                   "Replicates of the intervals")
      ->capture_default_str()
      ->check(enough_replicates());
  add_resampling_options(*command, options->options.bootstrap, "Seed of both");
  command->add_flag("--ignore-groups", options->ignore_groups,
                    "Take every sample as independent even when the file has groups");
  add_input_options(*command, options->input);
  add_labels_option(*command, options->input);
  add_metric_options(*command, options->metrics);
  add_json_option(*command, options->json);
  add_table_options(*command, options->tables);
  command->footer(
      "Example:\n"
      "  cubcal example --out demo\n"
      "  cubcal audit demo/test.npz --by sex,site,age --cuts age=40,65 --csv demo/audit.csv");
  command->callback([options] { run_audit(*options); });
}

}  // namespace cubcal::app
