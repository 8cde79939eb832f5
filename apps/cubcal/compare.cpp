#include <iostream>
#include <memory>

#include "bootstrap_options.h"
#include "commands.h"
#include "cubcal/core/check.h"
#include "cubcal/evaluation/comparison.h"
#include "cubcal/evaluation/predict_file.h"
#include "cubcal/io/logits_rows.h"
#include "input_options.h"
#include "logits_input.h"
#include "metric_options.h"
#include "number_text.h"
#include "table_output.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

struct CompareOptions {
  std::string file_a;
  std::string file_b;
  std::vector<std::string> more;
  std::string calibration_a;
  std::string calibration_b;
  std::string json;
  TableTargets tables;
  InputOptions input;
  MetricOptions metrics;
  BootstrapOptions bootstrap;
  bool ignore_groups = false;
};

/// Files are named A to Z.
constexpr int kMostOthers = 25;

/// Which side the interval is on: "B better", "A better", or nothing when it holds 0 or p, which is
/// the more careful of the two where replicates are few, does not agree.
std::string verdict(const MetricInfo& info, const Comparison& comparison, double level) {
  const int side =
      better_side(info, comparison.paired.intervals[static_cast<std::size_t>(info.metric)]);
  const std::optional<double> p = comparison.paired.p_values[info.metric];
  if (side == 0 || !p || *p > 1 - level) return "";
  return (side > 0 ? comparison.name : "A") + " better";
}

std::string p_text(const std::optional<double>& p) { return p ? fixed(*p, 4) : "–"; }

LogitsFile read_side(const std::string& path, const InputOptions& input) {
  LogitsFile file = read_input(path, input);
  require_labels(file, "a comparison");
  return file;
}

/// Brings the samples of B into the order of A where both say which images they are. Returns how
/// the samples were matched.
const char* align(const LogitsFile& a, LogitsFile& b, const InputOptions& input) {
  if (a.files.empty() || b.files.empty()) return "order";
  if (a.files != b.files && !input.reading.labels_file.empty()) {
    throw ArgumentError("--labels needs both files in the same order, and theirs differ");
  }
  if (a.files != b.files) b = take_samples(b, rows_by_file(a, b));
  return "files";
}

SampleFacts facts_of(const LogitsFile& file, const std::string& calibration_path,
                     const MetricOptions& metrics) {
  return sample_facts(predict_file(file, calibration_at(calibration_path)), file.labels, metrics);
}

ComparisonResult compared(const CompareOptions& options) {
  const LogitsFile file_a = read_side(options.file_a, options.input);
  const SampleFacts a = facts_of(file_a, options.calibration_a, options.metrics);
  ComparisonResult result;
  result.file_a = file_a.path;
  result.title_a = describe(file_a);
  result.samples = a.samples;
  result.classes = a.classes;
  result.values_a = metric_values(a);
  result.metrics = options.metrics;
  result.bootstrap = options.bootstrap;
  std::vector<std::string> paths{options.file_b};
  paths.insert(paths.end(), options.more.begin(), options.more.end());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    LogitsFile file = read_side(paths[i], options.input);
    const std::string matched_by = align(file_a, file, options.input);
    if (i == 0 || matched_by == "order") result.matched_by = matched_by;
    if (file_a.groups != file.groups && !file_a.groups.empty() && !file.groups.empty()) {
      throw DataError(file_a.path + " and " + file.path + " do not have the same groups");
    }
    std::vector<std::string> groups = file_a.groups.empty() ? file.groups : file_a.groups;
    if (options.ignore_groups) groups.clear();
    result.by_group = !groups.empty();
    const SampleFacts b =
        facts_of(file, i == 0 ? options.calibration_b : std::string(), options.metrics);
    result.others.push_back({model_name(i + 1),
                             file.path,
                             describe(file),
                             metric_values(b),
                             paired_bootstrap(a, b, groups, options.bootstrap),
                             {}});
  }
  adjust_p_values(result.others);
  return result;
}

/// The table of one comparison as it is printed.
PaperTable table_of(const ComparisonResult& result, const Comparison& other, double level) {
  const bool several = result.others.size() > 1;
  PaperTable table;
  table.texts.header = {
      "", "A", other.name, other.name + " - A", significant(100 * level, 6) + "% interval", "p"};
  if (several) table.texts.header.push_back("p (Holm)");
  table.texts.header.push_back("");
  for (const MetricInfo& info : metric_infos()) {
    const auto& interval = other.paired.intervals[static_cast<std::size_t>(info.metric)];
    std::vector<std::string> row{metric_heading(info),
                                 metric_text(info.unit, result.values_a[info.metric]),
                                 metric_text(info.unit, other.values[info.metric]),
                                 difference_text(info.unit, other.paired.difference[info.metric]),
                                 interval_text(info.unit, interval),
                                 p_text(other.paired.p_values[info.metric])};
    if (several) row.push_back(p_text(other.holm[info.metric]));
    row.push_back(verdict(info, other, level));
    table.texts.rows.push_back(std::move(row));
  }
  return table;
}

/// All comparisons below each other, for a paper and as CSV.
PaperTable whole_table(const ComparisonResult& result, double level) {
  PaperTable table;
  table.csv_header = {"a",          "b",   "metric", "value_a", "value_b",
                      "difference", "low", "high",   "p",       "p_holm"};
  for (const Comparison& other : result.others) {
    PaperTable own = table_of(result, other, level);
    if (table.texts.header.empty()) {
      table.texts.header = std::move(own.texts.header);
    } else {
      own.texts.rows.insert(own.texts.rows.begin(), std::move(own.texts.header));
    }
    table.texts.rows.insert(table.texts.rows.end(), own.texts.rows.begin(), own.texts.rows.end());
    for (const MetricInfo& info : metric_infos()) {
      std::vector<std::string> row{result.file_a,
                                   other.file,
                                   info.key,
                                   exact_text(result.values_a[info.metric]),
                                   exact_text(other.values[info.metric]),
                                   exact_text(other.paired.difference[info.metric])};
      for (const std::string& end :
           exact_interval(other.paired.intervals[static_cast<std::size_t>(info.metric)])) {
        row.push_back(end);
      }
      row.push_back(exact_text(other.paired.p_values[info.metric]));
      row.push_back(exact_text(other.holm[info.metric]));
      table.csv_rows.push_back(std::move(row));
    }
  }
  return table;
}

void print_comparison(std::ostream& out, const ComparisonResult& result,
                      const CompareOptions& options) {
  out << "A  " << result.title_a << '\n';
  for (const Comparison& each : result.others) out << each.name << "  " << each.title << '\n';
  out << "   samples matched by " << (result.matched_by == "files" ? "'files'" : "their order")
      << '\n';
  for (const Comparison& each : result.others) {
    const PaperTable paper = table_of(result, each, options.bootstrap.level);
    TextTable table(paper.texts.header);
    for (const auto& row : paper.texts.rows) table.add(row);
    out << '\n' << table;
  }
  out << "\nPaired percentile bootstrap, " << options.bootstrap.replicates << " replicates by "
      << (result.by_group ? "group" : "sample") << ", seed " << options.bootstrap.seed
      << "; a side is called better where the interval does not hold 0 and p is at most "
      << fixed(1 - options.bootstrap.level, 2) << ".\n"
      << (result.others.size() > 1
              ? "Holm's correction is over the models compared with A, for each metric.\n"
              : "")
      << convention_text(options.metrics) << ".\n";
}

void compare(const CompareOptions& options) {
  std::vector<std::string> inputs{options.file_a, options.file_b, options.calibration_a,
                                  options.calibration_b, options.input.reading.labels_file};
  inputs.insert(inputs.end(), options.more.begin(), options.more.end());
  check_output(options.json, inputs);
  for (const std::string& target : options.tables.all()) check_output(target, inputs);
  check_one_stdout(options.tables, options.json);
  const ComparisonResult result = compared(options);
  if (!options.json.empty()) {
    write_text(options.json, comparison_json(result).dump(2) + "\n");
  }
  write_tables(options.tables, whole_table(result, options.bootstrap.level));
  if (options.json == "-" || options.tables.to_stdout()) return;
  print_comparison(std::cout, result, options);
}

}  // namespace

void add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare", "Differences of sets of logits over the same samples, with intervals");
  command->add_option("A", options->file_a, ".npz or .pt with logits and labels")->required();
  command->add_option("B", options->file_b, "The same samples from another model")->required();
  command
      ->add_option("MORE", options->more,
                   "Further models, each compared with A; p-values are then corrected (Holm)")
      ->expected(0, kMostOthers - 1);
  command->add_option("--calibration-a", options->calibration_a, "Apply this calibration to A");
  command->add_option("--calibration-b", options->calibration_b, "Apply this calibration to B");
  add_input_options(*command, options->input);
  add_labels_option(*command, options->input);
  add_metric_options(*command, options->metrics);
  command->add_option("--bootstrap", options->bootstrap.replicates, "Replicates")
      ->capture_default_str()
      ->check(enough_replicates());
  add_resampling_options(*command, options->bootstrap);
  command->add_flag("--ignore-groups", options->ignore_groups,
                    "Resample single samples even when the files have groups");
  add_json_option(*command, options->json);
  add_table_options(*command, options->tables);
  command->footer(
      "Example (before and after calibration):\n"
      "  cubcal example --out demo\n"
      "  cubcal calibrate demo/val.npz --method ts-nll -o demo/cal.json\n"
      "  cubcal compare demo/test.npz demo/test.npz --calibration-b demo/cal.json");
  command->callback([options] { compare(*options); });
}

}  // namespace cubcal::app
