#include "cubcal/report/write_report.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/report/outputs.h"
#include "cubcal/report/run_sources.h"
#include "cubcal/report/shown_path.h"

namespace cubcal::report {

namespace {

void check_options(const ReportOptions& options) {
  if (options.output.empty()) throw ArgumentError("a report needs a file to be written to");
  check_in_open("the risk target", options.risk_target, 0, 1);
  check_at_least("the number of scatter points", static_cast<double>(options.scatter_points), 10);
  check_bootstrap_options(options.bootstrap);
}

/// Runs of one label and one seed cannot be repeats, unless whoever named them says so and the
/// seeds are not known: they are told apart by where they come from.
void tell_apart(std::vector<RunResult>& runs) {
  const auto are_repeats = [](const RunResult& a, const RunResult& b) {
    const bool are_named = a.label_given && b.label_given && !a.record.seed && !b.record.seed;
    return are_named || a.record.seed != b.record.seed;
  };
  std::vector<RunResult*> shared;
  std::vector<std::string> sources;
  for (RunResult& run : runs) {
    const bool is_shared = std::any_of(runs.begin(), runs.end(), [&](const RunResult& other) {
      return &other != &run && other.label == run.label && !are_repeats(run, other);
    });
    if (!is_shared) continue;
    shared.push_back(&run);
    sources.push_back(run.source);
  }
  const std::vector<std::string> names = distinct_tails(sources);
  for (std::size_t i = 0; i < shared.size(); ++i) shared[i]->label = names[i];
}

void check_comparable(const std::vector<RunResult>& runs) {
  for (const RunResult& run : runs) {
    const bool is_named = run.has_class_names && runs.front().has_class_names;
    const bool is_same = is_named ? run.class_names == runs.front().class_names
                                  : run.facts.classes == runs.front().facts.classes;
    if (is_same) continue;
    throw DataError("'" + run.source + "' and '" + runs.front().source +
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

/// What the report is about: the data set where it is known.
std::string subject_of(const RunResult& first) {
  const std::string& data = first.record.data_name;
  return data.empty() ? first.label : last_part(data);
}

/// A deployed model has a name of its own.
std::string title_of(const RunResult& first) {
  if (first.deployed && first.deployed->identity) {
    const ModelIdentity& identity = *first.deployed->identity;
    return identity.name + ", version " + identity.version;
  }
  return "Uncertainty report: " + subject_of(first);
}

WrittenReport write_page(AtomicFile& file, std::vector<RunResult> runs,
                         const ReportOptions& options, std::vector<std::string> notes) {
  tell_apart(runs);
  check_comparable(runs);
  audit_shown(runs, options);
  const std::vector<Method> methods = grouped_by_label(runs);
  const SampleImages images = find_sample_images(runs.front(), options);
  Figures figures;
  const MethodDifferences differences = method_differences(methods, options.bootstrap);
  const std::string subject = subject_of(runs.front());
  const std::string title = options.title.empty() ? title_of(runs.front()) : options.title;
  const std::string html = page(title, methods, differences, images, options, figures);
  WrittenReport written{runs.size(), methods.size(), html.size(), std::move(notes), {}};
  if (!images.note.empty()) written.notes.push_back(images.note);
  file.write(html);
  if (!options.figures.empty()) {
    written.figures = write_figures(options.figures, figures.drawn(), written.notes);
  }
  if (!options.checklists.empty()) {
    const checklist::Evidence evidence = evidence_of(methods, differences, options);
    for (const ChecklistRequest& each : options.checklists) {
      write_file_atomically(
          each.path, checklist::checklist_markdown(
                         each.kind, options.title.empty() ? subject : options.title, evidence));
    }
  }
  file.commit();
  return written;
}

}  // namespace

// Where nothing can be written, the files below say so before the work.

WrittenReport write_report(const ReportOptions& options) {
  check_options(options);
  const std::vector<RunSource> sources = run_sources(options);
  AtomicFile file(options.output);
  std::vector<RunResult> runs;
  std::vector<std::string> notes;
  LogitsFile first;
  for (const RunSource& source : sources) {
    RunInput input = read_source(source, options);
    if (runs.empty()) {
      first.path = input.test.logits.path;
      first.files = input.test.logits.files;
      first.class_names = input.test.logits.class_names;
    } else {
      align_samples(input, first);
      // Classes that nobody named are those of the first.
      const std::size_t classes = McLogits(input.test.logits.logits).classes();
      if (input.test.logits.class_names.empty() && first.class_names.size() == classes) {
        input.test.logits.class_names = first.class_names;
      }
    }
    notes.insert(notes.end(), input.notes.begin(), input.notes.end());
    runs.push_back(analyse(std::move(input), options));
  }
  return write_page(file, std::move(runs), options, std::move(notes));
}

WrittenReport write_report(const ReportOptions& options, RunInput input) {
  check_options(options);
  check_run(input);
  AtomicFile file(options.output);
  std::vector<RunResult> runs;
  runs.push_back(analyse(std::move(input), options));
  return write_page(file, std::move(runs), options, {});
}

}  // namespace cubcal::report
