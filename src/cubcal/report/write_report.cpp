#include "cubcal/report/write_report.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/report/figure_files.h"
#include "cubcal/report/page.h"

namespace cubcal::report {

namespace {

void check_sources(const ReportOptions& options) {
  if (options.runs.empty() == options.logits.empty()) {
    throw ArgumentError("a report is made of run folders or of a file of logits: give one of them");
  }
  if (options.logits.empty() && !(options.validation.empty() && options.outliers.empty())) {
    throw ArgumentError(
        "validation and outlier logits go with a file of test logits: run folders have their own");
  }
  if (options.logits.empty() && options.probabilities) {
    throw ArgumentError(
        "the option 'probabilities' goes with the option 'logits': run folders hold logits");
  }
}

void check_options(const ReportOptions& options) {
  if (options.output.empty()) throw ArgumentError("a report needs a file to be written to");
  check_in_open("the risk target", options.risk_target, 0, 1);
  check_at_least("the number of scatter points", static_cast<double>(options.scatter_points), 10);
  check_bootstrap_options(options.bootstrap);
}

/// Runs of one label and one seed cannot be repeats: they are told apart by their folders.
void tell_apart(std::vector<RunResult>& runs) {
  std::vector<std::string> labels;
  for (const RunResult& run : runs) {
    const bool is_shared = std::any_of(runs.begin(), runs.end(), [&](const RunResult& other) {
      return &other != &run && other.label == run.label && other.record.seed == run.record.seed;
    });
    labels.push_back(is_shared ? run.folder : run.label);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].label = labels[i];
}

void check_comparable(const std::vector<RunResult>& runs) {
  for (const RunResult& run : runs) {
    if (run.class_names == runs.front().class_names) continue;
    throw DataError("'" + run.folder + "' and '" + runs.front().folder +
                    "' do not have the same classes, so that one report cannot compare them");
  }
}

std::vector<Method> grouped_by_label(const std::vector<RunResult>& runs) {
  std::vector<Method> methods;
  for (const RunResult& run : runs) {
    const auto found = std::find_if(methods.begin(), methods.end(),
                                    [&](const Method& each) { return each.label == run.label; });
    if (found == methods.end()) {
      methods.push_back({run.label, {&run}});
    } else {
      found->runs.push_back(&run);
    }
  }
  return methods;
}

/// Details are those of the first run of each label.
void audit_shown(std::vector<RunResult>& runs, const ReportOptions& options) {
  std::set<std::string> labels;
  for (RunResult& run : runs) {
    if (labels.insert(run.label).second) add_audit(run, options);
  }
}

std::string title_of(const ReportOptions& options, const RunResult& first) {
  if (!options.title.empty()) return options.title;
  const std::filesystem::path data = first.record.data_name;
  const std::string name =
      data.filename().empty() ? data.parent_path().filename().string() : data.filename().string();
  return "Uncertainty report: " + (name.empty() ? first.label : name);
}

WrittenReport write_page(AtomicFile& file, std::vector<RunResult> runs,
                         const ReportOptions& options) {
  tell_apart(runs);
  check_comparable(runs);
  audit_shown(runs, options);
  const std::vector<Method> methods = grouped_by_label(runs);
  const SampleImages images = find_sample_images(runs.front(), options);
  Figures figures;
  const std::string html = page(title_of(options, runs.front()), methods, images, options, figures);
  WrittenReport written{runs.size(), methods.size(), html.size(), {}, {}};
  file.write(html);
  if (!options.figures.empty()) {
    written.figures = write_figures(options.figures, figures.drawn(), written.notes);
  }
  file.commit();
  if (!images.note.empty()) written.notes.push_back(images.note);
  return written;
}

}  // namespace

// Where nothing can be written, the files below say so before the work.

WrittenReport write_report(const ReportOptions& options) {
  check_options(options);
  check_sources(options);
  AtomicFile file(options.output);
  std::vector<RunResult> runs;
  for (const std::string& run : options.runs) runs.push_back(analyse(read_run(run), options));
  if (runs.empty()) runs.push_back(analyse(read_logits_alone(options), options));
  return write_page(file, std::move(runs), options);
}

WrittenReport write_report(const ReportOptions& options, RunInput input) {
  check_options(options);
  check_run(input);
  AtomicFile file(options.output);
  std::vector<RunResult> runs;
  runs.push_back(analyse(std::move(input), options));
  return write_page(file, std::move(runs), options);
}

}  // namespace cubcal::report
