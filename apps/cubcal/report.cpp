#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"
#include "cubcal/report/run_input.h"
#include "cubcal/report/write_report.h"
#include "logits_input.h"
#include "metric_options.h"
#include "number_text.h"
#include "option_checks.h"

namespace cubcal::app {

namespace {

/// A set that is drawn has no path; only the program with networks can draw it.
void take_drawn_images(report::ReportOptions& options, const DrawnImages& drawn) {
  const bool is_drawn = options.data == "phantom" || options.data.rfind("phantom:", 0) == 0;
  if (!is_drawn) return;
  if (!drawn) throw ArgumentError("--data phantom needs a build with the network half");
  if (options.runs.empty()) {
    throw ArgumentError("--data phantom goes with run folders, whose models say how it was drawn");
  }
  options.test_image = drawn(report::parse_run_name(options.runs.front()).folder, options.data);
}

/// Every file that a report with these options may read.
std::vector<std::string> inputs_of(const report::ReportOptions& options) {
  std::vector<std::string> inputs{options.logits, options.validation, options.outliers,
                                  options.calibration, options.data};
  for (const std::string& run : options.runs) {
    const std::vector<std::string> files =
        report::RunFiles(report::parse_run_name(run).folder).all();
    inputs.insert(inputs.end(), files.begin(), files.end());
  }
  return inputs;
}

void make_report(report::ReportOptions options, const DrawnImages& drawn) {
  refuse_output_over_input(options.output, inputs_of(options));
  take_drawn_images(options, drawn);
  const report::WrittenReport written = report::write_report(options);
  for (const std::string& note : written.notes) std::cerr << "cubcal: " << printable(note) << '\n';
  std::cout << "wrote " << options.output << ": " << written.runs
            << (written.runs == 1 ? " run, " : " runs, ") << written.methods
            << (written.methods == 1 ? " method, " : " methods, ")
            << fixed(static_cast<double>(written.bytes) / 1e6, 1) << " MB\n";
  if (!written.figures.empty()) {
    std::cout << "wrote " << written.figures.size() << " figures, each as .svg and .pdf:\n";
  }
  for (const std::string& path : written.figures) std::cout << "  " << printable(path) << '\n';
}

}  // namespace

void add_report(CLI::App& app, DrawnImages drawn) {
  auto options = std::make_shared<report::ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "One HTML page about a model: verdict, charts, tables, images");
  command->add_option(
      "RUN", options->runs,
      "Run folders with logits, as FOLDER or LABEL=FOLDER; the verdict is about the "
      "first, equal labels are repeats");
  command->add_option("--logits", options->logits,
                      "Instead of run folders: labelled test logits from any framework (.npz)");
  command->add_option("--val", options->validation,
                      "With --logits: validation logits, for calibration and referral");
  command->add_option("--ood", options->outliers, "With --logits: logits of images of no class");
  command->add_flag("--probabilities", options->probabilities,
                    "With --logits: the files hold probabilities, not logits (floored at 1e-12)");
  command->add_option("--calibration", options->calibration,
                      "Show this calibration (from 'cubcal calibrate')");
  command->add_option("--data", options->data,
                      "The data set of the test images, to show some of them: a path, or phantom");
  command->add_option("-o,--output", options->output, "The HTML file to write")->required();
  command->add_option("--figures", options->figures,
                      "Also write every chart into this folder, as SVG and as PDF");
  command->add_option("--title", options->title, "Title of the page");
  add_metric_options(*command, options->metrics);
  command
      ->add_option("--risk-target", options->risk_target,
                   "Error rate accepted among the answers that are not referred")
      ->capture_default_str();
  command->add_option("--bootstrap", options->bootstrap.replicates, "Replicates of the intervals")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}));
  command->add_option("--seed", options->bootstrap.seed, "Seed of the bootstrap")
      ->capture_default_str()
      ->check(not_negative());
  command
      ->add_option("--points", options->scatter_points,
                   "Samples shown in each scatter chart; more are thinned")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{10}, std::size_t{1000000}));
  command
      ->add_option("--images", options->images,
                   "Certain mistakes and uncertain right answers shown, each")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{200}));
  command->footer(
      "Reads test.npz of a run folder, and where they are there val.npz, ood.npz, record.json,\n"
      "metrics.jsonl, calibration-*.json, ood.json and best/model.json.\n\n"
      "Example:\n"
      "  cubcal example --out demo\n"
      "  cubcal report --logits demo/test.npz --val demo/val.npz -o report.html");
  command->callback([options, drawn] { make_report(*options, drawn); });
}

}  // namespace cubcal::app
