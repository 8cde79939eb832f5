#include "cubcal/core/check.h"
#include "cubcal/prevalence/warnings.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

namespace {

struct ShownView {
  const char* label;
  const PrevalenceView& view;
};

std::vector<ShownView> shown_views(const PrevalenceStudy& study) {
  return {{"as labelled", study.here},
          {"new prevalence", study.there},
          {"new, corrected", study.corrected}};
}

std::string share_text(double share, const ShareIntervals& intervals, std::size_t k) {
  const bool has_interval = k < intervals.size() && intervals[k];
  return percent(share) + (has_interval ? "\n(" + percent_range(*intervals[k]) + ")" : "");
}

std::string share_rows(const RunResult& run, const PrevalenceStudy& study) {
  std::vector<std::string> header{"Class", "labelled",
                                  study.options.from ? "model, stated" : "model, implied"};
  if (study.estimate) header.insert(header.end(), {"new, by EM", "new, by BBSE"});
  if (study.options.to) header.emplace_back("stated");
  header.emplace_back("weight");
  Table table(header, "Shares of the classes. The test images, weighed to the new ones, count as " +
                          fixed(study.effective_samples, 0) + ".");
  for (std::size_t k = 0; k < run.class_names.size(); ++k) {
    std::vector<std::string> cells{run.class_names[k], percent(study.labels[k]),
                                   percent(study.from[k])};
    if (study.estimate) {
      const ShiftEstimate& estimate = *study.estimate;
      cells.push_back(share_text(estimate.em.prevalence[k], estimate.em_intervals, k));
      cells.push_back(estimate.black_box ? share_text(estimate.black_box->prevalence[k],
                                                      estimate.black_box_intervals, k)
                                         : "–");
    }
    if (study.options.to) cells.push_back(percent(study.to[k]));
    cells.push_back(significant(study.class_weights[k], 3));
    table.add(cells);
  }
  return table.html();
}

std::string weighted_rows(const PrevalenceStudy& study) {
  std::vector<std::string> header{"Metric"};
  for (const ShownView& each : shown_views(study)) header.emplace_back(each.label);
  Table table(header,
              "Corrected: with probabilities multiplied by the new prevalence over the model's.");
  for (const Metric metric : kWeightedMetrics) {
    const MetricInfo& info = info_of(metric);
    std::vector<std::string> cells{std::string(info.label) +
                                   (info.unit == MetricUnit::kPercent ? "\u00a0%" : "")};
    for (const ShownView& each : shown_views(study)) {
      const auto& interval = each.view.intervals[static_cast<std::size_t>(metric)];
      cells.push_back(metric_text(info, each.view.values[metric]) +
                      (interval ? "\n(" + interval_text(info, interval) + ")" : ""));
    }
    table.add(cells);
  }
  return table.html();
}

std::vector<std::string> promise_row(const std::string& label, const AcceptedAnswers& accepted,
                                     const std::optional<Interval>& interval) {
  return {label, significant(accepted.threshold, 4), percent(accepted.share),
          (accepted.error ? percent(*accepted.error, 2) : std::string("–")) +
              (interval ? "\n(" + percent_range(*interval) + ")" : "")};
}

/// What becomes of the errors among accepted answers.
std::string promise_rows(const PrevalenceStudy& study) {
  if (!study.options.accept_up_to) return {};
  Table table({"", "U up to", "accepted", "errors among them"},
              "The promise: errors among answers accepted at U up to " +
                  to_text(*study.options.accept_up_to) +
                  " nats. Kept: at the largest threshold of no more errors than as labelled, found "
                  "on these images.");
  for (const ShownView& each : shown_views(study)) {
    table.add(promise_row(each.label, *each.view.accepted, each.view.accepted_error));
    if (&each.view == &study.here) continue;
    const std::string kept = std::string(each.label) + ", kept";
    if (each.view.kept) {
      table.add(promise_row(kept, *each.view.kept, each.view.kept_error));
    } else {
      table.add({kept, "none", "–", "–"});
    }
  }
  return table.html();
}

}  // namespace

std::string prevalence_section(const RunResult& run, const ReportOptions& options) {
  if (!run.studies.prevalence) return {};
  const PrevalenceStudy& study = *run.studies.prevalence;
  std::string text =
      "What becomes of the model where classes are more or less frequent. Assumed: a class looks "
      "the same at both places. The new prevalence is ";
  text += study.is_estimated ? "estimated by EM from " + counted(run.studies.new_samples, "image") +
                                   " without labels."
                             : std::string("stated.");
  std::string html = paragraph(text + " " + study_basis(run, options));
  std::string notes;
  for (const std::string& warning : prevalence_warnings(study)) {
    notes += element("li", escaped(warning)) + "\n";
  }
  if (!notes.empty()) html += "<ul class=\"notes\">" + notes + "</ul>\n";
  return section("Another prevalence",
                 html + share_rows(run, study) + weighted_rows(study) + promise_rows(study));
}

}  // namespace cubcal::report
