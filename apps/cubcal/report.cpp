#include <iostream>
#include <memory>

#include "commands.h"
#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"
#include "cubcal/report/run_sources.h"
#include "cubcal/report/write_report.h"
#include "input_options.h"
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
  const report::RunSource first = report::run_sources(options).front();
  if (!first.is_folder) {
    throw ArgumentError("--data phantom goes with run folders, whose models say how it was drawn");
  }
  options.test_image = drawn(first.path, options.data);
}

/// Every file that a report with these options may read.
std::vector<std::string> inputs_of(const report::ReportOptions& options) {
  std::vector<std::string> inputs{options.data};
  for (const report::RunSource& source : report::run_sources(options)) {
    const std::vector<std::string> files = source.files();
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
  auto input = std::make_shared<InputOptions>();
  CLI::App* command =
      app.add_subcommand("report", "One HTML page about a model: verdict, charts, tables, images");
  command->add_option(
      "RUN", options->runs,
      "Run folders with logits, or files of labelled test logits (.npz), as PATH or LABEL=PATH; "
      "the verdict is about the first, equal labels are repeats");
  command->add_option("--logits", options->logits,
                      "One file of labelled test logits from any framework, as RUN without label");
  const auto add_files = [&](const char* name, std::vector<std::string>& files, const char* help) {
    command->add_option(name, files, help)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  add_files("--val", options->validation,
            "With files of logits: validation logits, for calibration and referral; with several "
            "files LABEL=FILE for each");
  add_files("--ood", options->outliers,
            "With files of logits: logits of images of no class; likewise");
  add_files("--calibration", options->calibration,
            "Show this calibration (from 'cubcal calibrate'); LABEL=FILE for one of several");
  add_input_options(*command, *input);
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
      "  cubcal report --logits demo/test.npz --val demo/val.npz -o report.html\n"
      "  cubcal report A=a.npz B=b.npz --val A=a-val.npz --val B=b-val.npz -o report.html");
  command->callback([options, input, drawn] {
    options->reading = input->reading;
    options->probabilities = input->probabilities;
    make_report(*options, drawn);
  });
}

}  // namespace cubcal::app
