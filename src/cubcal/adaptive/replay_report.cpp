#include "cubcal/adaptive/replay_report.h"

#include <nlohmann/json.hpp>

#include "cubcal/io/json_fields.h"
#include "cubcal/metrics/binomial.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kIntervalSide = 0.975;  ///< each side of a 95% interval

Json options_json(const ReplayReport& report) {
  return {{"error", report.adaptive.error},
          {"first", report.adaptive.first},
          {"block", report.adaptive.block},
          {"eta", report.decision.uncertainty},
          {"gamma", json_or_null(report.decision.gamma)}};
}

Json passes_json(const ReplayReport& report) {
  Json json = {{"all", report.replay.total},
               {"mean", report.changes.mean_passes},
               {"samples_with_all", report.changes.all_passes},
               {"histogram", Json::array()}};
  for (const auto& [passes, samples] : report.histogram()) {
    json["histogram"].push_back({{"passes", passes}, {"samples", samples}});
  }
  return json;
}

}  // namespace

std::vector<ReplayReport::Change> ReplayReport::rows() const {
  std::vector<Change> rows = {{"class", "class", changes.predicted},
                              {"accept/refer", "refer", changes.refer}};
  if (decision.gamma) rows.push_back({"side of gamma", "gamma", changes.confident});
  rows.push_back({"class or accept/refer", "class_or_refer", changes.verdict});
  rows.push_back({"any of these", "any", changes.any});
  return rows;
}

double ReplayReport::share(std::size_t count) const {
  return static_cast<double>(count) / static_cast<double>(changes.samples);
}

double ReplayReport::lower(std::size_t count) const {
  return lower_bound_of_share(count, changes.samples, kIntervalSide);
}

double ReplayReport::upper(std::size_t count) const {
  return upper_bound_of_share(count, changes.samples, kIntervalSide);
}

std::map<std::size_t, std::size_t> ReplayReport::histogram() const {
  std::map<std::size_t, std::size_t> counts;
  for (const std::size_t passes : replay.passes) ++counts[passes];
  return counts;
}

Json to_json(const ReplayReport& report) {
  Json json;
  json["title"] = report.title;
  json["calibration"] = report.calibration ? Json(method_name(report.calibration->method)) : Json();
  json["options"] = options_json(report);
  json["samples"] = report.changes.samples;
  json["passes"] = passes_json(report);
  for (const ReplayReport::Change& row : report.rows()) {
    json["changed"][row.key] = {{"samples", row.count},
                                {"share", report.share(row.count)},
                                {"interval", {report.lower(row.count), report.upper(row.count)}}};
  }
  json["predicted_share"] = report.changes.mean_risk;
  json["promise_broken"] = report.is_broken();
  return json;
}

}  // namespace cubcal
