#include <array>

#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

namespace {

/// "93.1\n(90.2 to 95.0)".
std::string with_its_interval(const MetricLabel& label, const std::optional<double>& value,
                              const std::optional<Interval>& interval) {
  const MetricInfo info = info_of_label(label);
  return metric_text(info, value) + (interval ? "\n(" + interval_text(info, interval) + ")" : "");
}

std::string named_with_unit(const MetricLabel& label) {
  return std::string(label.label) + (label.unit == MetricUnit::kPercent ? "\u00a0%" : "");
}

std::string overall_table(const ClinicalStudy& study) {
  Table table({"Metric", "Value", "Interval"}, "All classes together.");
  for (std::size_t m = 0; m < kClinicalCount; ++m) {
    const MetricLabel& label = clinical_infos()[m];
    const MetricInfo info = info_of_label(label);
    table.add({named_with_unit(label), metric_text(info, study.values.overall[m]),
               interval_text(info, study.intervals.overall[m])});
  }
  return table.html();
}

/// A row for each class, with the columns of `labels`.
template <std::size_t N, class Values, class Intervals>
std::string class_by_class(const RunResult& run, const std::string& caption,
                           const std::array<MetricLabel, N>& labels, const Values& values,
                           const Intervals& intervals) {
  std::vector<std::string> header{"Class"};
  for (const MetricLabel& label : labels) header.push_back(named_with_unit(label));
  Table table(header, caption);
  for (std::size_t k = 0; k < run.class_names.size(); ++k) {
    std::vector<std::string> cells{run.class_names[k]};
    for (std::size_t m = 0; m < N; ++m) {
      cells.push_back(with_its_interval(labels[m], values[k][m], intervals[k][m]));
    }
    table.add(cells);
  }
  return table.html();
}

std::string prevalence_note(const RunResult& run, const ClinicalOptions& options) {
  const std::string words = prevalence_words(options, run.class_names);
  return words.empty() ? words : " PPV and NPV " + words + ".";
}

}  // namespace

std::string study_basis(const RunResult& run, const ReportOptions& options) {
  return (run.studies.calibration.empty() ? std::string("Without calibration; ")
                                          : "After " + run.studies.calibration + "; ") +
         percent(options.bootstrap.level, 0) + " intervals by bootstrap over " +
         (run.groups.empty() ? "images" : "groups such as patients") + ".";
}

std::string clinical_section(const RunResult& run, const ReportOptions& options) {
  if (!options.clinical || !run.studies.clinical) return {};
  const ClinicalStudy& study = *run.studies.clinical;
  std::string html = paragraph(study_basis(run, options)) + overall_table(study);
  html += class_by_class(run, "Each class against the rest, by its probability.",
                         class_metric_infos(), study.values.by_class, study.intervals.by_class);
  for (std::size_t r = 0; r < study.options.rules.size(); ++r) {
    html += class_by_class(run,
                           "Each class against the rest, " + rule_words(study.options.rules[r]) +
                               "." + prevalence_note(run, study.options),
                           point_infos(), study.values.points[r], study.intervals.points[r]);
  }
  return section("Clinical metrics", html);
}

}  // namespace cubcal::report
