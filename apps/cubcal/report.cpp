#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include "benefit_options.h"
#include "bootstrap_options.h"
#include "clinical_options.h"
#include "commands.h"
#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"
#include "cubcal/record/provenance.h"
#include "cubcal/report/run_sources.h"
#include "cubcal/report/write_report.h"
#include "input_options.h"
#include "logits_input.h"
#include "metric_options.h"
#include "number_text.h"
#include "option_checks.h"
#include "prevalence_options.h"

namespace cubcal::app {

namespace {

/// What the command line says that takes the names of classes to be understood.
struct ReportStudies {
  ClinicalChoice clinical;
  BenefitChoice benefit;
  PrevalenceChoice prevalence;
  std::vector<std::string> new_logits;
};

void add_study_options(CLI::App& command, ReportStudies& studies) {
  studies.clinical.group = "Clinical metrics (as of 'cubcal evaluate')";
  studies.clinical.prefix = "--clinical-";
  add_clinical_options(command, studies.clinical);
  studies.benefit.group = "Net benefit (as of 'cubcal benefit')";
  studies.benefit.prefix = "--benefit-";
  add_benefit_options(command, studies.benefit);
  studies.prevalence.group = "Another prevalence (as of 'cubcal prevalence')";
  studies.prevalence.prefix = "--prevalence-";
  add_prevalence_options(command, studies.prevalence);
  command
      .add_option(studies.prevalence.option("new"), studies.new_logits,
                  "Logits from the new place, without labels, to estimate its prevalence from; "
                  "LABEL=FILE for one of several")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(studies.prevalence.group);
}

/// Every column of a file is read: one that is not among them is not there.
void require_columns(const BenefitChoice& choice, const LogitsFile& file) {
  for (const std::string& column : {choice.scope_column, choice.verdict_column}) {
    const bool is_there = column.empty() || std::any_of(file.columns.begin(), file.columns.end(),
                                                        [&](const SampleColumn& each) {
                                                          return each.name == column;
                                                        });
    if (is_there) continue;
    throw DataError("there is no array 'column_" + column + "' [N], which the policy asks for");
  }
}

/// Turns them into what the report is asked for.
void take_studies(report::ReportOptions& options, const ReportStudies& studies) {
  if (studies.clinical.wanted) {
    options.clinical = [choice = studies.clinical](const std::vector<std::string>& names) {
      return clinical_options(choice, names);
    };
  }
  const BenefitChoice& benefit = studies.benefit;
  if (!benefit.positive.empty()) {
    report::BenefitRequest request;
    request.options = benefit_options(benefit);
    request.positive = [benefit](const std::vector<std::string>& names) {
      return positive_classes(benefit, names);
    };
    if (benefit.has_policy()) {
      request.decisions = [benefit](const LogitsFile& file, const Predictive& predictive) {
        require_columns(benefit, file);
        return policy_decisions(benefit, file, predictive);
      };
      request.policy = policy_words(benefit);
    }
    options.benefit = std::move(request);
  }
  const PrevalenceChoice& prevalence = studies.prevalence;
  if (!prevalence.to.empty() || !studies.new_logits.empty()) {
    options.prevalence = report::PrevalenceRequest{
        [prevalence](const std::vector<std::string>& names, const ClassShares& labels) {
          return prevalence_options(prevalence, names, labels);
        },
        studies.new_logits};
  } else if (!prevalence.from.empty() || prevalence.refer_above) {
    throw ArgumentError(prevalence.option(prevalence.from.empty() ? "refer-above" : "from") +
                        " needs " + prevalence.option("to") + ", a stated prevalence, or " +
                        prevalence.option("new") + ", a file to estimate it from");
  }
}

/// "claim" is written beside the page, "claim=FILE" where it says.
report::ChecklistRequest checklist_request(const std::string& text, const std::string& page) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const std::optional<checklist::Kind> kind = checklist::kind_named(name);
  const bool has_file = equals != std::string::npos;
  if (!kind || (has_file && equals + 1 == text.size())) {
    throw ArgumentError("--checklist takes claim, tripod-ai or model-card, alone or as " +
                        std::string("NAME=FILE, not '") + text + "'");
  }
  if (has_file) return {*kind, text.substr(equals + 1)};
  const std::filesystem::path beside(page);
  return {*kind, (beside.parent_path() / (beside.stem().string() + "-" + name + ".md")).string()};
}

void take_checklists(report::ReportOptions& options, const std::vector<std::string>& texts) {
  std::vector<std::string> targets{options.output};
  for (const std::string& text : texts) {
    options.checklists.push_back(checklist_request(text, options.output));
    const std::string& path = options.checklists.back().path;
    if (std::find(targets.begin(), targets.end(), path) != targets.end()) {
      throw ArgumentError("'" + path + "' is named for two outputs: give each a file of its own");
    }
    targets.push_back(path);
  }
}

/// A set that is drawn has no path; only the program with networks can draw it.
void take_drawn_images(report::ReportOptions& options, const DrawnImages& drawn) {
  if (!is_phantom_name(options.data)) return;
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

/// The command that gives a run folder the logits of a split.
std::string logits_command(const std::string& folder, const std::string& split) {
  return "make them with 'cubcal logits --model " + folder + " --data DATA --split " + split +
         " -o " + (std::filesystem::path(folder) / (split + ".npz")).string() + "'";
}

void make_report(report::ReportOptions options, const DrawnImages& drawn) {
  const std::vector<std::string> inputs = inputs_of(options);
  check_output(options.output, inputs);
  for (const report::ChecklistRequest& each : options.checklists) {
    check_output(each.path, inputs);
  }
  take_drawn_images(options, drawn);
  options.advice_on_logits = logits_command;
  const report::WrittenReport written = report::write_report(options);
  for (const std::string& note : written.notes) std::cerr << "cubcal: " << printable(note) << '\n';
  std::cout << "wrote " << options.output << ": " << written.runs
            << (written.runs == 1 ? " run, " : " runs, ") << written.methods
            << (written.methods == 1 ? " method, " : " methods, ")
            << fixed(static_cast<double>(written.bytes) / 1e6, 1) << " MB\n";
  for (const report::ChecklistRequest& each : options.checklists) {
    std::cout << "wrote " << printable(each.path) << ": " << checklist::kind_name(each.kind)
              << " checklist, filled as far as the records go\n";
  }
  if (!written.figures.empty()) {
    std::cout << "wrote " << written.figures.size() << " figures, each as .svg and .pdf:\n";
  }
  for (const std::string& path : written.figures) std::cout << "  " << printable(path) << '\n';
}

}  // namespace

void add_report(CLI::App& app, DrawnImages drawn) {
  auto options = std::make_shared<report::ReportOptions>();
  auto input = std::make_shared<InputOptions>();
  auto studies = std::make_shared<ReportStudies>();
  auto checklists = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      app.add_subcommand("report", "One HTML page about a model: verdict, charts, tables, images");
  command->add_option("RUN", options->runs,
                      "Run folders with logits, or files of labelled test logits (.npz, .pt), as "
                      "PATH or LABEL=PATH; "
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
  add_files(
      "--checklist", *checklists,
      "Also fill a checklist, claim, tripod-ai or model-card, as Markdown: beside the page, or "
      "NAME=FILE");
  command->add_option("--title", options->title, "Title of the page");
  add_metric_options(*command, options->metrics);
  command
      ->add_option("--risk-target", options->risk_target,
                   "Error rate accepted among the answers that are not referred")
      ->capture_default_str();
  command->add_option("--bootstrap", options->bootstrap.replicates, "Replicates of the intervals")
      ->capture_default_str()
      ->check(enough_replicates());
  command->add_option("--seed", options->bootstrap.seed, "Seed of the bootstrap")
      ->capture_default_str();
  command
      ->add_option("--points", options->scatter_points,
                   "Samples shown in each scatter chart; more are thinned")
      ->capture_default_str()
      ->check(within(std::size_t{10}, std::size_t{1000000}));
  command
      ->add_option("--images", options->images,
                   "Certain mistakes and uncertain right answers shown, each")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{200}));
  add_study_options(*command, *studies);
  command->footer(
      "Reads test.npz of a run folder, and where they are there val.npz, ood.npz, record.json,\n"
      "metrics.jsonl, calibration-*.json, ood.json and best/model.json.\n\n"
      "Example:\n"
      "  cubcal example --out demo\n"
      "  cubcal report --logits demo/test.npz --val demo/val.npz -o report.html\n"
      "  cubcal report A=a.npz B=b.npz --val A=a-val.npz --val B=b-val.npz -o report.html");
  command->callback([options, input, studies, checklists, drawn = std::move(drawn)] {
    options->reading = input->reading;
    options->probabilities = input->probabilities;
    take_studies(*options, *studies);
    take_checklists(*options, *checklists);
    make_report(*options, drawn);
  });
}

}  // namespace cubcal::app
