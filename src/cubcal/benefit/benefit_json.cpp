#include "cubcal/benefit/benefit_json.h"

#include "cubcal/benefit/benefit_words.h"
#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/version.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

Json ranges_json(const std::vector<ThresholdRange>& ranges) {
  Json rows = Json::array();
  for (const ThresholdRange& range : ranges) rows.push_back({range.first, range.last});
  return rows;
}

Json point_json(const BenefitReport& report, std::size_t p) {
  const BenefitCurve& curve = report.curve;
  const BenefitPoint& point = curve.points[p];
  Json strategies = Json::object();
  for (const Strategy strategy : curve.strategies) {
    const StrategyOutcome& outcome = point.outcome(strategy);
    Json row{{"value", point.value(strategy)},
             {"missed", outcome.missed},
             {"false_alarms", outcome.false_alarms},
             {"referred", outcome.referred},
             {"out_of_scope", outcome.out_of_scope}};
    if (strategy != curve.subject())
      row["lead_of_subject"] = curve.lead(p, curve.subject(), strategy);
    if (report.bootstrap) {
      const BenefitIntervals& intervals = curve.intervals[p];
      row["interval"] = interval_json(intervals.values[static_cast<std::size_t>(strategy)]);
      if (strategy != curve.subject()) {
        row["lead_interval"] = interval_json(intervals.leads[static_cast<std::size_t>(strategy)]);
      }
    }
    strategies[strategy_label(strategy).key] = std::move(row);
  }
  Json json{{"threshold", point.threshold}, {"strategies", strategies}};
  if (report.has_policy()) {
    json["referral_worth"] = json_or_null(point.break_even);
    if (report.bootstrap) {
      json["referral_worth_interval"] = interval_json(curve.intervals[p].break_even);
    }
  }
  return json;
}

Json prices_json(const Prices& prices) {
  return {{"miss", prices.miss},
          {"false_alarm", prices.false_alarm ? Json(*prices.false_alarm) : Json("pt / (1 - pt)")},
          {"referral", json_or_null(prices.referral)},
          {"out_of_scope",
           prices.referral ? Json(prices.of_out_of_scope()) : json_or_null(prices.out_of_scope)}};
}

}  // namespace

Json benefit_json(const BenefitReport& report) {
  const BenefitCurve& curve = report.curve;
  Json json;
  json["cubcal"] = kVersion;
  json["file"] = report.file;
  json["samples"] = report.cases;
  json["positive"] = report.positive;
  json["diseased"] = report.diseased;
  json["prevalence"] = curve.points.front().prevalence;
  json["unit"] = report.is_cost() ? "cost of 1000 patients" : "diseases found per patient";
  json["better"] = report.is_cost() ? "lower" : "higher";
  json["formula"] = benefit_formula(curve);
  json["prices"] = prices_json(curve.options.prices);
  json["policy"] = report.has_policy() ? Json(report.policy) : Json();
  json["expert"] = {{"sensitivity", curve.options.expert.sensitivity},
                    {"specificity", curve.options.expert.specificity}};
  json["assumption"] =
      curve.options.prices.referral ? Json(expert_words(curve.options.expert)) : Json();
  json["calibration"] =
      report.calibration ? Json::parse(calibration_to_json(*report.calibration)) : Json();
  json["bootstrap"] =
      report.bootstrap ? bootstrap_json(*report.bootstrap, report.bootstrap_by_group) : Json();
  json["subject"] = strategy_label(curve.subject()).key;
  json["best_at"] = ranges_json(best_ranges(curve, curve.subject()));
  json["clearly_best_at"] = report.bootstrap ? ranges_json(clearly_best_ranges(curve)) : Json();
  Json& points = json["points"] = Json::array();
  for (std::size_t p = 0; p < curve.points.size(); ++p) points.push_back(point_json(report, p));
  return json;
}

}  // namespace cubcal
