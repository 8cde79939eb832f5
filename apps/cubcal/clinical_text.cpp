#include <algorithm>

#include "cubcal/core/check.h"
#include "cubcal/metrics/classification.h"
#include "evaluation_text.h"
#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

constexpr std::size_t kMostConfusionShown = 8;

/// "93.1", or with an interval "93.1 [90.2, 95.0]".
template <class Intervals>
std::string cell(MetricUnit unit, const std::optional<double>& value, const Intervals* intervals,
                 std::size_t at) {
  const std::string text = metric_text(unit, value);
  if (intervals == nullptr || !(*intervals)[at]) return text;
  return text + " " + interval_text(unit, (*intervals)[at]);
}

std::string heading(const MetricLabel& info) {
  const std::string unit = unit_text(info.unit);
  return std::string(info.label) + (unit.empty() ? "" : " " + unit);
}

void print_overall(std::ostream& out, const ClinicalResult& clinical, double level) {
  std::vector<std::string> header{"", "value", ""};
  if (clinical.intervals) header.push_back(significant(100 * level, 6) + "% interval");
  TextTable table(header);
  for (std::size_t m = 0; m < kClinicalCount; ++m) {
    const MetricLabel& info = clinical_infos()[m];
    std::vector<std::string> row{info.label, metric_text(info.unit, clinical.values.overall[m]),
                                 unit_text(info.unit)};
    if (clinical.intervals) {
      row.push_back(interval_text(info.unit, clinical.intervals->overall[m]));
    }
    table.add(row);
  }
  out << "\nClinical metrics\n" << table;
}

/// A table of one row for each class, with the columns of `infos`.
template <std::size_t N, class Values, class Intervals>
TextTable class_rows(const std::vector<std::string>& names, const std::array<MetricLabel, N>& infos,
                     const Values& values, const Intervals* intervals) {
  std::vector<std::string> header{"class"};
  for (const MetricLabel& info : infos) header.push_back(heading(info));
  TextTable table(header);
  for (std::size_t k = 0; k < std::min(names.size(), kMostClassesShown); ++k) {
    std::vector<std::string> row{names[k]};
    for (std::size_t m = 0; m < N; ++m) {
      row.push_back(
          cell(infos[m].unit, values[k][m], intervals == nullptr ? nullptr : &(*intervals)[k], m));
    }
    table.add(row);
  }
  return table;
}

/// In which population the predictive values are, where one is stated.
std::string prevalence_text(const ClinicalOptions& options, const std::vector<std::string>& names) {
  const std::string words = prevalence_words(options, names);
  return words.empty() ? words : "\nPPV and NPV " + words;
}

void print_confusion(std::ostream& out, const Evaluation& evaluation) {
  const ClinicalResult& clinical = *evaluation.clinical;
  const std::vector<std::string>& names = evaluation.class_names;
  if (names.size() > kMostConfusionShown) return;
  const std::vector<std::uint64_t> counts = confusion_matrix(evaluation.facts);
  std::vector<std::string> header{"label"};
  header.insert(header.end(), names.begin(), names.end());
  TextTable table(header);
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::vector<std::string> row{names[k]};
    for (std::size_t j = 0; j < names.size(); ++j) {
      const std::size_t at = k * names.size() + j;
      row.push_back(std::to_string(counts[at]) + ": " +
                    cell(MetricUnit::kPercent, clinical.values.confusion[at],
                         clinical.intervals ? &clinical.intervals->confusion : nullptr, at));
    }
    table.add(row);
  }
  out << "\nAnswers by label: number and % of the label\n" << table;
}

}  // namespace

void print_clinical(std::ostream& out, const Evaluation& evaluation) {
  const ClinicalResult& clinical = *evaluation.clinical;
  const std::vector<std::string>& names = evaluation.class_names;
  const ClinicalIntervals* intervals = clinical.intervals ? &*clinical.intervals : nullptr;
  print_overall(out, clinical, evaluation.bootstrap ? evaluation.bootstrap->level : 0);
  out << "\nEach class against the rest, by its probability\n"
      << class_rows(names, class_metric_infos(), clinical.values.by_class,
                    intervals == nullptr ? nullptr : &intervals->by_class);
  for (std::size_t r = 0; r < clinical.options.rules.size(); ++r) {
    out << "\nEach class against the rest, " << rule_words(clinical.options.rules[r])
        << prevalence_text(clinical.options, names) << '\n'
        << class_rows(names, point_infos(), clinical.values.points[r],
                      intervals == nullptr ? nullptr : &intervals->points[r]);
  }
  print_confusion(out, evaluation);
}

}  // namespace cubcal::app
