#include "cubcal/monitor/monitoring_json.h"

#include "cubcal/io/json_fields.h"
#include "cubcal/version.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

Json ends_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}

Json share_json(const CountedShare& share) {
  Json json{{"count", share.count}, {"of", share.of}, {"share", json_or_null(share.share())}};
  json["interval"] = share.of > 0 ? Json::array({share.low, share.high}) : Json();
  return json;
}

Json period_json(const Monitoring& monitoring, const PeriodSummary& period) {
  Json json{{"name", period.name}, {"predictions", period.predictions}, {"units", period.units}};
  json["decided"] = period.decided;
  json["accepted"] = period.accepted ? share_json(*period.accepted) : Json();
  json["referral"] = share_json(period.referral);
  json["out_of_scope"] = period.outside ? share_json(*period.outside) : Json();
  Json classes = Json::object();
  for (std::size_t k = 0; k < period.classes.size(); ++k) {
    classes[monitoring.class_names[k]] = share_json(period.classes[k]);
  }
  json["classes"] = std::move(classes);
  json["expected_accuracy"] = {{"value", json_or_null(period.expected_accuracy)},
                               {"interval", ends_json(period.expected_interval)}};
  json["actual_accuracy"] = period.actual ? share_json(*period.actual) : Json();
  json["uncertainty"] = {{"median", json_or_null(period.median_uncertainty)},
                         {"middle_80_percent", ends_json(period.uncertainty_range)}};
  return json;
}

Json tests_json(const Monitoring& monitoring, const PeriodSummary& period) {
  Json json = Json::object();
  for (const DriftResult& result : period.tests) {
    json[drift_test_key(result.test)] = {{"statistic", result.statistic},
                                         {"p", result.p},
                                         {"permutations", result.permutations},
                                         {"alarm", monitoring.is_alarm(result)}};
  }
  return json;
}

}  // namespace

Json monitoring_json(const Monitoring& monitoring) {
  const MonitorOptions& options = monitoring.options;
  Json json{{"alarms", monitoring.alarms()},
            {"alarm_rate", options.alarm_rate},
            {"alarm_at_p", monitoring.alarm_bound},
            {"correction", "Bonferroni over tests and periods"},
            {"tests_per_period", monitoring.tests_per_period},
            {"corrected_periods", monitoring.corrected_periods},
            {"refer_above", options.drift.refer_above},
            {"level", options.level},
            {"permutations", options.drift.permutations},
            {"seed", options.drift.seed}};
  const std::string warning = calibration_warning(monitoring);
  json["warning"] = warning.empty() ? Json() : Json(warning);
  json["reference"] = period_json(monitoring, monitoring.reference);
  Json periods = Json::array();
  for (const PeriodSummary& period : monitoring.periods) {
    Json row = period_json(monitoring, period);
    row["units_are"] = period.by_group ? "groups" : "predictions";
    row["tests"] = tests_json(monitoring, period);
    periods.push_back(std::move(row));
  }
  json["periods"] = std::move(periods);
  return json;
}

std::string monitoring_document(const Monitoring& monitoring, const MonitoringSource& source) {
  Json json{{"cubcal", kVersion},
            {"files", source.files},
            {"calibration", text_or_null(source.calibration)},
            {"reading_warnings", source.warnings}};
  json.update(monitoring_json(monitoring));
  return json.dump(2) + "\n";
}

}  // namespace cubcal
