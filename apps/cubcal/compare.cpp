#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/core/check.h"
#include "cubcal/core/version.h"
#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/io/logits_rows.h"
#include "cubcal/metrics/bootstrap.h"
#include "input_options.h"
#include "logits_input.h"
#include "metric_options.h"
#include "number_text.h"
#include "option_checks.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

struct CompareOptions {
  std::string file_a;
  std::string file_b;
  std::string calibration_a;
  std::string calibration_b;
  std::string json;
  InputOptions input;
  MetricOptions metrics;
  BootstrapOptions bootstrap;
  bool ignore_groups = false;
};

/// Which side the interval is on: "B better", "A better", or nothing when it holds 0.
std::string verdict(const MetricInfo& info, const std::optional<Interval>& interval) {
  const int side = better_side(info, interval);
  if (side == 0) return "";
  return side > 0 ? "B better" : "A better";
}

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
  std::optional<Calibration> calibration;
  if (!calibration_path.empty()) calibration = load_calibration(calibration_path);
  return sample_facts(predict_file(file, calibration), file.labels, metrics);
}

void compare(const CompareOptions& options) {
  refuse_output_over_input(
      options.json, {options.file_a, options.file_b, options.calibration_a, options.calibration_b,
                     options.input.reading.labels_file});
  const LogitsFile file_a = read_side(options.file_a, options.input);
  LogitsFile file_b = read_side(options.file_b, options.input);
  const std::string matched_by = align(file_a, file_b, options.input);
  const SampleFacts a = facts_of(file_a, options.calibration_a, options.metrics);
  const SampleFacts b = facts_of(file_b, options.calibration_b, options.metrics);
  if (file_a.groups != file_b.groups && !file_a.groups.empty() && !file_b.groups.empty()) {
    throw DataError(file_a.path + " and " + file_b.path + " do not have the same groups");
  }
  std::vector<std::string> groups = file_a.groups.empty() ? file_b.groups : file_a.groups;
  if (options.ignore_groups) groups.clear();
  const MetricValues values_a = metric_values(a);
  const MetricValues values_b = metric_values(b);
  const PairedDifference paired = paired_bootstrap(a, b, groups, options.bootstrap);

  if (!options.json.empty()) {
    nlohmann::ordered_json json;
    json["cubcal"] = kVersion;
    json["samples"] = a.samples;
    json["classes"] = a.classes;
    json["matched_by"] = matched_by;
    json["a"] = metrics_json(values_a);
    json["b"] = metrics_json(values_b);
    json["difference"] = metrics_json(paired.difference);
    json["intervals"] = intervals_json(paired.intervals);
    json["bootstrap"] = bootstrap_json(options.bootstrap, !groups.empty());
    json["convention"] = convention_json(options.metrics);
    write_json(options.json, json.dump(2) + "\n");
    if (options.json == "-") return;
  }

  std::cout << "A  " << describe(file_a) << "\nB  " << describe(file_b)
            << "\n   samples matched by " << (matched_by == "files" ? "'files'" : "their order")
            << "\n\n";
  TextTable table(
      {"", "A", "B", "B − A", to_text(100 * options.bootstrap.level) + "% interval", ""});
  for (const MetricInfo& info : metric_infos()) {
    const auto& interval = paired.intervals[static_cast<std::size_t>(info.metric)];
    table.add({metric_heading(info), metric_text(info.unit, values_a[info.metric]),
               metric_text(info.unit, values_b[info.metric]),
               difference_text(info.unit, paired.difference[info.metric]),
               interval_text(info.unit, interval), verdict(info, interval)});
  }
  std::cout << table << "\nPaired percentile bootstrap, " << options.bootstrap.replicates
            << " replicates by " << (groups.empty() ? "sample" : "group") << ", seed "
            << options.bootstrap.seed
            << "; a side is called better where the interval does not hold 0.\n"
            << convention_text(options.metrics) << ".\n";
}

}  // namespace

void add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare", "Difference of two sets of logits over the same samples, with intervals");
  command->add_option("A", options->file_a, ".npz with logits and labels")->required();
  command->add_option("B", options->file_b, "The same samples from another model")->required();
  command->add_option("--calibration-a", options->calibration_a, "Apply this calibration to A");
  command->add_option("--calibration-b", options->calibration_b, "Apply this calibration to B");
  add_input_options(*command, options->input);
  add_labels_option(*command, options->input);
  add_metric_options(*command, options->metrics);
  command->add_option("--bootstrap", options->bootstrap.replicates, "Replicates")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}));
  command->add_option("--level", options->bootstrap.level, "Coverage of the intervals")
      ->capture_default_str();
  command->add_option("--seed", options->bootstrap.seed, "Seed of the bootstrap")
      ->capture_default_str()
      ->check(not_negative());
  command->add_flag("--ignore-groups", options->ignore_groups,
                    "Resample single samples even when the files have groups");
  command->add_option("--json", options->json,
                      "Write everything as JSON to this file, '-': stdout");
  command->footer(
      "Example (before and after calibration):\n"
      "  cubcal example --out demo\n"
      "  cubcal calibrate demo/val.npz --method ts-nll -o demo/cal.json\n"
      "  cubcal compare demo/test.npz demo/test.npz --calibration-b demo/cal.json");
  command->callback([options] { compare(*options); });
}

}  // namespace cubcal::app
