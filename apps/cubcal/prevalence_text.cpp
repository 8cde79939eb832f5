#include "prevalence_text.h"

#include "cubcal/core/check.h"
#include "cubcal/io/csv.h"
#include "cubcal/prevalence/warnings.h"
#include "metric_options.h"
#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

std::string share_cell(double share, const ShareIntervals* intervals, std::size_t k) {
  const std::string text = metric_text(MetricUnit::kPercent, share);
  if (intervals == nullptr || intervals->empty()) return text;
  return text + " " + interval_text(MetricUnit::kPercent, (*intervals)[k]);
}

void print_shares(std::ostream& out, const PrevalenceReport& result) {
  const PrevalenceStudy& study = result.study;
  std::vector<std::string> header{"class", "labelled"};
  header.emplace_back(study.options.from ? "model, stated" : "model, implied");
  if (study.estimate) header.insert(header.end(), {"new, by EM", "new, by BBSE"});
  if (study.options.to) header.emplace_back("stated");
  header.emplace_back("weight");
  TextTable table(header);
  for (std::size_t k = 0; k < result.class_names.size(); ++k) {
    std::vector<std::string> row{result.class_names[k], share_cell(study.labels[k], nullptr, k)};
    row.push_back(share_cell(study.from[k], nullptr, k));
    if (study.estimate) {
      const ShiftEstimate& estimate = *study.estimate;
      row.push_back(share_cell(estimate.em.prevalence[k], &estimate.em_intervals, k));
      row.push_back(estimate.black_box ? share_cell(estimate.black_box->prevalence[k],
                                                    &estimate.black_box_intervals, k)
                                       : "–");
    }
    if (study.options.to) row.push_back(share_cell(study.to[k], nullptr, k));
    row.push_back(significant(study.class_weights[k], 3));
    table.add(row);
  }
  out << "Prevalence, %\n" << table;
  if (study.estimate && study.estimate->black_box) {
    out << "Condition of the confusion matrix: "
        << significant(study.estimate->black_box->condition, 3) << ".\n";
  }
  out << study.here.facts.samples << " samples, weighed to the "
      << (study.is_estimated ? "prevalence by EM" : "stated prevalence") << ", count as "
      << fixed(study.effective_samples, 0) << ".\n";
}

std::string metric_cell(const PrevalenceStudy& study, const PrevalenceView& view,
                        const MetricInfo& info) {
  const std::string text = metric_text(info.unit, view.values[info.metric]);
  if (!study.options.bootstrap) return text;
  return text + " " +
         interval_text(info.unit, view.intervals[static_cast<std::size_t>(info.metric)]);
}

const MetricInfo& info_of(Metric metric) {
  return metric_infos()[static_cast<std::size_t>(metric)];
}

TextRows metric_rows(const PrevalenceStudy& study) {
  TextRows rows;
  rows.header = {""};
  const auto views = views_of(study);
  for (const NamedView& each : views) rows.header.emplace_back(each.label);
  for (const Metric metric : kWeightedMetrics) {
    std::vector<std::string> row{metric_heading(info_of(metric))};
    for (const NamedView& each : views)
      row.push_back(metric_cell(study, each.view, info_of(metric)));
    rows.rows.push_back(std::move(row));
  }
  return rows;
}

void add_promise(TextTable& table, const PrevalenceStudy& study, const std::string& label,
                 const AcceptedAnswers& accepted, const std::optional<Interval>& interval) {
  std::string error = metric_text(MetricUnit::kPercent, accepted.error);
  if (study.options.bootstrap) error += " " + interval_text(MetricUnit::kPercent, interval);
  table.add({label, significant(accepted.threshold, 4),
             metric_text(MetricUnit::kPercent, accepted.share), error});
}

void print_promise(std::ostream& out, const PrevalenceStudy& study) {
  TextTable table({"", "U up to", "accepted %", "errors among them %"});
  for (const NamedView& each : views_of(study)) {
    add_promise(table, study, each.label, *each.view.accepted, each.view.accepted_error);
    if (&each.view == &study.here) continue;
    const std::string kept = std::string(each.label) + ", kept";
    if (each.view.kept) {
      add_promise(table, study, kept, *each.view.kept, each.view.kept_error);
    } else {
      table.add({kept, "none", "–", "–"});
    }
  }
  out << "\nThe promise: errors among answers accepted at U up to "
      << to_text(*study.options.accept_up_to) << "\n"
      << table
      << "Kept: at the largest threshold of no more errors than as labelled, found on these "
         "samples.\n";
}

}  // namespace

void print_prevalence(std::ostream& out, const PrevalenceTitles& titles,
                      const PrevalenceReport& result) {
  const PrevalenceStudy& study = result.study;
  out << "Labelled  " << titles.labelled << '\n';
  if (!titles.fresh.empty()) out << "New       " << titles.fresh << '\n';
  if (result.calibration) {
    out << "Calibrated with " << method_name(result.calibration->method) << ".\n";
  }
  out << "Assumed: a class looks the same at both places, only how frequent it is differs.\n\n";
  print_shares(out, result);
  TextTable table(metric_rows(study).header);
  for (const std::vector<std::string>& row : metric_rows(study).rows) table.add(row);
  out << "\nMetrics, corrected: with probabilities multiplied by new / model's prevalence\n"
      << table;
  if (study.options.accept_up_to) print_promise(out, study);
  if (study.options.bootstrap) {
    out << "\n"
        << significant(100 * study.options.bootstrap->level, 6)
        << "% intervals: " << study.options.bootstrap->replicates << " bootstrap replicates of "
        << (result.bootstrap_by_group ? "whole groups" : "samples")
        << (study.estimate ? ", of both files" : "") << ".\n";
  }
  out << convention_text(study.options.metrics) << ".\n";
  const std::vector<std::string> warnings = prevalence_warnings(study);
  if (!warnings.empty()) out << '\n';
  for (const std::string& warning : warnings) out << "Warning: " << warning << '\n';
}

PaperTable prevalence_table(const PrevalenceReport& result) {
  const PrevalenceStudy& study = result.study;
  PaperTable table;
  table.texts = metric_rows(study);
  table.csv_header = {"number", "class", "view", "value", "low", "high"};
  const auto add = [&](const std::string& number, const std::string& name, const std::string& view,
                       const std::optional<double>& value,
                       const std::optional<Interval>& interval) {
    std::vector<std::string> row{number, name, view, exact_text(value)};
    for (std::string& end : exact_interval(interval)) row.push_back(std::move(end));
    table.csv_rows.push_back(std::move(row));
  };
  const auto interval_at = [](const ShareIntervals& intervals, std::size_t k) {
    return intervals.empty() ? std::nullopt : intervals[k];
  };
  for (std::size_t k = 0; k < result.class_names.size(); ++k) {
    const std::string name = no_formula(result.class_names[k]);
    add("prevalence", name, "here", study.labels[k], std::nullopt);
    add("prevalence", name, "there", study.to[k],
        study.is_estimated ? interval_at(study.estimate->em_intervals, k) : std::nullopt);
    if (!study.estimate) continue;
    add("em", name, "there", study.estimate->em.prevalence[k],
        interval_at(study.estimate->em_intervals, k));
    if (!study.estimate->black_box) continue;
    add("bbse", name, "there", study.estimate->black_box->prevalence[k],
        interval_at(study.estimate->black_box_intervals, k));
  }
  add("effective_samples", "", "there", study.effective_samples, std::nullopt);
  for (const NamedView& each : views_of(study)) {
    for (const Metric metric : kWeightedMetrics) {
      add(info_of(metric).key, "", each.key, each.view.values[metric],
          each.view.intervals[static_cast<std::size_t>(metric)]);
    }
    if (each.view.accepted) {
      add("accepted_share", "", each.key, each.view.accepted->share, std::nullopt);
      add("accepted_error", "", each.key, each.view.accepted->error, each.view.accepted_error);
    }
    if (each.view.kept) {
      add("kept_threshold", "", each.key, each.view.kept->threshold, std::nullopt);
      add("kept_share", "", each.key, each.view.kept->share, std::nullopt);
      add("kept_error", "", each.key, each.view.kept->error, each.view.kept_error);
    }
  }
  return table;
}

}  // namespace cubcal::app
