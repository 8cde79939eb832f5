#include "prevalence_text.h"

#include <array>
#include <nlohmann/json.hpp>

#include "cubcal/core/check.h"
#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/prevalence/warnings.h"
#include "cubcal/version.h"
#include "metric_options.h"
#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kViews = 3;

struct NamedView {
  const char* key;
  const char* label;
  const PrevalenceView& view;
};

std::array<NamedView, kViews> views_of(const PrevalenceStudy& study) {
  return {{{"here", "as labelled", study.here},
           {"there", "new prevalence", study.there},
           {"corrected", "new, corrected", study.corrected}}};
}

std::string share_cell(double share, const ShareIntervals* intervals, std::size_t k) {
  const std::string text = metric_text(MetricUnit::kPercent, share);
  if (intervals == nullptr || intervals->empty()) return text;
  return text + " " + interval_text(MetricUnit::kPercent, (*intervals)[k]);
}

void print_shares(std::ostream& out, const PrevalenceResult& result) {
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

Json shares_json(const ClassShares& shares, const std::vector<std::string>& names) {
  Json json = Json::object();
  for (std::size_t k = 0; k < shares.size(); ++k) json[names[k]] = shares[k];
  return json;
}

Json share_intervals_json(const ShareIntervals& intervals, const std::vector<std::string>& names) {
  if (intervals.empty()) return nullptr;
  Json json = Json::object();
  for (std::size_t k = 0; k < intervals.size(); ++k) {
    json[names[k]] = intervals[k] ? Json::array({intervals[k]->low, intervals[k]->high}) : Json();
  }
  return json;
}

Json estimate_json(const ShiftEstimate& estimate, const std::vector<std::string>& names) {
  Json json;
  json["em"] = {{"prevalence", shares_json(estimate.em.prevalence, names)},
                {"intervals", share_intervals_json(estimate.em_intervals, names)},
                {"steps", estimate.em.steps},
                {"converged", estimate.em.converged}};
  json["bbse"] = nullptr;
  if (estimate.black_box) {
    json["bbse"] = {{"prevalence", shares_json(estimate.black_box->prevalence, names)},
                    {"intervals", share_intervals_json(estimate.black_box_intervals, names)},
                    {"raw", shares_json(estimate.black_box->raw, names)},
                    {"condition", estimate.black_box->condition}};
  }
  json["em_minus_bbse_intervals"] = share_intervals_json(estimate.difference_intervals, names);
  return json;
}

Json accepted_json(const std::optional<AcceptedAnswers>& accepted,
                   const std::optional<Interval>& interval) {
  if (!accepted) return nullptr;
  return {{"threshold", accepted->threshold},
          {"share", accepted->share},
          {"error", json_or_null(accepted->error)},
          {"error_interval", interval ? Json::array({interval->low, interval->high}) : Json()}};
}

Json view_json(const PrevalenceStudy& study, const PrevalenceView& view) {
  Json metrics = Json::object();
  Json intervals = Json::object();
  for (const Metric metric : kWeightedMetrics) {
    const MetricInfo& info = info_of(metric);
    metrics[info.key] = json_or_null(view.values[metric]);
    const auto& interval = view.intervals[static_cast<std::size_t>(metric)];
    intervals[info.key] = interval ? Json::array({interval->low, interval->high}) : Json();
  }
  Json json{{"metrics", metrics}, {"intervals", study.options.bootstrap ? intervals : Json()}};
  if (study.options.accept_up_to) {
    json["accepted"] = accepted_json(view.accepted, view.accepted_error);
    if (&view != &study.here) json["kept"] = accepted_json(view.kept, view.kept_error);
  }
  return json;
}

}  // namespace

void print_prevalence(std::ostream& out, const PrevalenceResult& result) {
  const PrevalenceStudy& study = result.study;
  out << "Labelled  " << result.title << '\n';
  if (!result.new_title.empty()) out << "New       " << result.new_title << '\n';
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

std::string prevalence_json(const PrevalenceResult& result) {
  const PrevalenceStudy& study = result.study;
  const std::vector<std::string>& names = result.class_names;
  Json json;
  json["cubcal"] = kVersion;
  json["file"] = result.file;
  json["new_file"] = result.new_file.empty() ? Json() : Json(result.new_file);
  json["samples"] = study.here.facts.samples;
  json["assumption"] = "label shift: a class looks the same at both places";
  json["labelled"] = shares_json(study.labels, names);
  json["mean_probability"] = shares_json(study.mean_probability, names);
  json["from"] = shares_json(study.from, names);
  json["from_is"] = study.options.from ? "stated" : "implied by the labelled samples";
  json["to"] = shares_json(study.to, names);
  json["to_is"] = study.is_estimated ? "estimated by EM" : "stated";
  json["estimate"] = study.estimate ? estimate_json(*study.estimate, names) : Json();
  json["weights"] = shares_json(study.class_weights, names);
  json["effective_samples"] = study.effective_samples;
  for (const NamedView& each : views_of(study)) json[each.key] = view_json(study, each.view);
  json["convention"] = convention_json(study.options.metrics);
  json["calibration"] =
      result.calibration ? Json::parse(calibration_to_json(*result.calibration)) : Json();
  json["bootstrap"] = study.options.bootstrap
                          ? bootstrap_json(*study.options.bootstrap, result.bootstrap_by_group)
                          : Json();
  json["warnings"] = prevalence_warnings(study);
  return json.dump(2) + "\n";
}

PaperTable prevalence_table(const PrevalenceResult& result) {
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
