#include "cubcal/prevalence/prevalence_json.h"

#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/prevalence/warnings.h"
#include "cubcal/version.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

Json shares_json(const ClassShares& shares, const std::vector<std::string>& names) {
  Json json = Json::object();
  for (std::size_t k = 0; k < shares.size(); ++k) json[names[k]] = shares[k];
  return json;
}

Json share_intervals_json(const ShareIntervals& intervals, const std::vector<std::string>& names) {
  if (intervals.empty()) return nullptr;
  Json json = Json::object();
  for (std::size_t k = 0; k < intervals.size(); ++k) {
    json[names[k]] = interval_json(intervals[k]);
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
          {"error_interval", interval_json(interval)}};
}

Json view_json(const PrevalenceStudy& study, const PrevalenceView& view) {
  Json metrics = Json::object();
  Json intervals = Json::object();
  for (const Metric metric : kWeightedMetrics) {
    const MetricInfo& info = metric_infos()[static_cast<std::size_t>(metric)];
    metrics[info.key] = json_or_null(view.values[metric]);
    const auto& interval = view.intervals[static_cast<std::size_t>(metric)];
    intervals[info.key] = interval_json(interval);
  }
  Json json{{"metrics", metrics}, {"intervals", study.options.bootstrap ? intervals : Json()}};
  if (study.options.accept_up_to) {
    json["accepted"] = accepted_json(view.accepted, view.accepted_error);
    if (&view != &study.here) json["kept"] = accepted_json(view.kept, view.kept_error);
  }
  return json;
}

}  // namespace

std::array<NamedView, 3> views_of(const PrevalenceStudy& study) {
  return {{{"here", "as labelled", study.here},
           {"there", "new prevalence", study.there},
           {"corrected", "new, corrected", study.corrected}}};
}

Json prevalence_json(const PrevalenceReport& report) {
  const PrevalenceStudy& study = report.study;
  const std::vector<std::string>& names = report.class_names;
  Json json;
  json["cubcal"] = kVersion;
  json["file"] = report.file;
  json["new_file"] = text_or_null(report.new_file);
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
      report.calibration ? Json::parse(calibration_to_json(*report.calibration)) : Json();
  json["bootstrap"] = study.options.bootstrap
                          ? bootstrap_json(*study.options.bootstrap, report.bootstrap_by_group)
                          : Json();
  json["warnings"] = prevalence_warnings(study);
  return json;
}

}  // namespace cubcal
