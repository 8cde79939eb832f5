#include "cubcal/evaluation/evaluation_json.h"

#include "cubcal/io/json_fields.h"
#include "cubcal/metrics/accuracy_vs_uncertainty.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/metrics/classification.h"
#include "cubcal/metrics/selective.h"
#include "cubcal/uncertainty/probabilities.h"
#include "cubcal/version.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

/// An object of these members. A list in braces makes an array of two of each member first, and
/// copies what it holds twice: too slow for tables.
Json row_of(std::initializer_list<std::pair<const char*, Json>> members) {
  Json::object_t row;
  row.reserve(members.size());
  for (const auto& [key, value] : members) row.emplace_back(key, value);
  return Json(std::move(row));
}

Json bins_json(const CalibrationError& error, const char* observed, const char* target) {
  Json rows = Json::array();
  for (const ReliabilityBin& bin : error.bins) {
    const bool empty = bin.count == 0;
    rows.push_back(row_of({{"low", bin.low},
                           {"high", bin.high},
                           {"count", static_cast<std::uint64_t>(bin.count)},
                           {observed, empty ? Json() : Json(bin.mean_observed)},
                           {target, empty ? Json() : Json(bin.mean_target)}}));
  }
  return rows;
}

Json classes_json(const Evaluation& evaluation) {
  Json rows = Json::array();
  const std::vector<ClassRow> table = class_table(evaluation.facts);
  for (std::size_t k = 0; k < table.size(); ++k) {
    rows.push_back(row_of({{"name", evaluation.class_names[k]},
                           {"support", table[k].support},
                           {"predicted", table[k].predicted},
                           {"recall", json_or_null(table[k].recall)},
                           {"precision", json_or_null(table[k].precision)},
                           {"f1", json_or_null(table[k].f1)},
                           {"mean_confidence", json_or_null(table[k].mean_confidence)},
                           {"mean_uncertainty", json_or_null(table[k].mean_uncertainty)}}));
  }
  return rows;
}

Json confusion_json(const SampleFacts& facts) {
  const std::vector<std::uint64_t> matrix = confusion_matrix(facts);
  Json rows = Json::array();
  for (std::size_t k = 0; k < facts.classes; ++k) {
    const auto first = matrix.begin() + static_cast<std::ptrdiff_t>(k * facts.classes);
    rows.push_back(
        std::vector<std::uint64_t>(first, first + static_cast<std::ptrdiff_t>(facts.classes)));
  }
  return rows;
}

Json avu_curve_json(const SampleFacts& facts) {
  Json rows = Json::array();
  for (const AvuPoint& point : avu_curve(facts)) {
    rows.push_back(row_of({{"t", point.t}, {"threshold", point.threshold}, {"avu", point.avu}}));
  }
  return rows;
}

Json selective_json(const SampleFacts& facts, Certainty certainty) {
  const std::vector<double> risk = risk_coverage(facts, certainty);
  Json accuracy_rows = Json::array();
  for (const double coverage : kCoverages) {
    accuracy_rows.push_back(
        row_of({{"coverage", coverage}, {"accuracy", accuracy_at_coverage(risk, coverage)}}));
  }
  Json risk_rows = Json::array();
  for (const double target : kRiskTargets) {
    risk_rows.push_back(
        row_of({{"risk", target}, {"coverage", json_or_null(coverage_at_risk(risk, target))}}));
  }
  Json json;
  json["aurc"] = area_under_risk_coverage(risk);
  json["accuracy_at_coverage"] = std::move(accuracy_rows);
  json["coverage_at_risk"] = std::move(risk_rows);
  return json;
}

Json detection_json(const Detection& detection) {
  Json rows = Json::object();
  for (const DetectionRow& row : detection.rows) {
    rows[row.key] = row.metrics ? Json{{"auroc", row.metrics->auroc},
                                       {"aupr", row.metrics->aupr},
                                       {"fpr95", row.metrics->fpr95}}
                                : Json();
  }
  return rows;
}

/// Adds what there is to say of it.
void add_document(const Evaluation& evaluation, Json& json) {
  const SampleFacts& facts = evaluation.facts;
  json["samples"] = facts.samples;
  json["passes"] = evaluation.passes;
  json["classes"] = facts.classes;
  json["metrics"] = metrics_json(evaluation.values);
  json["convention"] = convention_json(facts.options);
  json["intervals"] = evaluation.bootstrap ? intervals_json(evaluation.intervals) : Json();
  json["bootstrap"] = evaluation.bootstrap
                          ? bootstrap_json(*evaluation.bootstrap, evaluation.bootstrap_by_group)
                          : Json();
  json["calibration"] =
      evaluation.calibration ? Json::parse(evaluation.calibration->document) : Json();
  Json& bins = json["bins"];
  bins["ece"] = bins_json(expected_calibration_error(facts), "accuracy", "confidence");
  bins["uce"] = bins_json(uncertainty_calibration_error(facts), "error", "uncertainty");
  bins["bcce"] = bins_json(boundary_curve_calibration_error(facts), "uncertainty", "ideal");
  json["per_class"] = classes_json(evaluation);
  json["confusion"] = confusion_json(facts);
  json["avu_curve"] = avu_curve_json(facts);
  Json& selective = json["selective"];
  selective["by_uncertainty"] = selective_json(facts, Certainty::kEntropy);
  selective["by_confidence"] = selective_json(facts, Certainty::kConfidence);
  if (evaluation.clinical) {
    json["clinical"] = clinical_json(*evaluation.clinical, evaluation.class_names);
  }
  if (evaluation.detection) json["ood"] = detection_json(*evaluation.detection);
}

}  // namespace

Json metrics_json(const MetricValues& values) {
  Json json = Json::object();
  for (const MetricInfo& info : metric_infos()) {
    const std::optional<double>& value = values[info.metric];
    if (!value) {
      json[info.key] = nullptr;
    } else if (info.unit == MetricUnit::kCount) {
      json[info.key] = static_cast<std::int64_t>(*value);
    } else {
      json[info.key] = *value;
    }
  }
  return json;
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}

Json intervals_json(const MetricIntervals& intervals) {
  Json json = Json::object();
  for (const MetricInfo& info : metric_infos()) {
    const auto& interval = intervals[static_cast<std::size_t>(info.metric)];
    json[info.key] = interval_json(interval);
  }
  return json;
}

Json p_values_json(const MetricValues& p_values) {
  Json json = Json::object();
  for (const MetricInfo& info : metric_infos()) {
    json[info.key] = json_or_null(p_values[info.metric]);
  }
  return json;
}

Json convention_json(const MetricOptions& options) {
  return row_of({{"unit", "nats"},
                 {"bins", options.bins},
                 {"bin_edges", "equal widths over [0, 1], (lo, hi], exact 0 in the first"},
                 {"ece", "binned on confidence"},
                 {"uce", "binned on U / ln K, error rate against mean U / ln K"},
                 {"bcce", "binned on confidence, U not normalised"},
                 {"gamma", options.gamma},
                 {"uncertainty_threshold", options.uncertainty_threshold},
                 {"nll_floor", kProbabilityFloor},
                 {"equal_probabilities", "lowest class index"},
                 {"aurc", "mean risk over all coverages by U; equal U in the order of the file"}});
}

Json bootstrap_json(const BootstrapOptions& options, bool by_group) {
  return {{"replicates", options.replicates},
          {"level", options.level},
          {"seed", options.seed},
          {"unit", by_group ? "group" : "sample"},
          {"interval", "percentile"}};
}

Json evaluation_document(const Evaluation& evaluation) {
  Json json{{"cubcal", kVersion}};
  add_document(evaluation, json);
  return json;
}

std::string evaluation_json(const Evaluation& evaluation) {
  return evaluation_document(evaluation).dump(2) + "\n";
}

std::string evaluations_json(const std::vector<Evaluation>& evaluations) {
  Json rows = Json::array();
  for (const Evaluation& each : evaluations) {
    Json row{{"file", each.file}};
    add_document(each, row);
    rows.push_back(std::move(row));
  }
  Json json{{"cubcal", kVersion}};
  json["evaluations"] = std::move(rows);
  return json.dump(2) + "\n";
}

}  // namespace cubcal
