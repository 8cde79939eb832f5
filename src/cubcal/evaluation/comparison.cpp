#include "cubcal/evaluation/comparison.h"

#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/metrics/holm.h"
#include "cubcal/version.h"

namespace cubcal {

std::string model_name(std::size_t place) {
  constexpr std::size_t kLetters = 26;
  const std::string last(1, static_cast<char>('A' + place % kLetters));
  return place < kLetters ? last : model_name(place / kLetters - 1) + last;
}

void adjust_p_values(std::vector<Comparison>& others) {
  for (const MetricInfo& info : metric_infos()) {
    std::vector<double> p_values;
    for (const Comparison& each : others) {
      if (each.paired.p_values[info.metric]) p_values.push_back(*each.paired.p_values[info.metric]);
    }
    const std::vector<double> adjusted = holm_adjusted(p_values);
    std::size_t next = 0;
    for (Comparison& each : others) {
      if (each.paired.p_values[info.metric]) each.holm[info.metric] = adjusted[next++];
    }
  }
}

nlohmann::ordered_json comparison_json(const ComparisonResult& result) {
  const Comparison& first = result.others.front();
  nlohmann::ordered_json json;
  json["cubcal"] = kVersion;
  json["samples"] = result.samples;
  json["classes"] = result.classes;
  json["matched_by"] = result.matched_by;
  json["a"] = metrics_json(result.values_a);
  json["b"] = metrics_json(first.values);
  json["difference"] = metrics_json(first.paired.difference);
  json["intervals"] = intervals_json(first.paired.intervals);
  json["p_values"] = p_values_json(first.paired.p_values);
  if (result.others.size() > 1) {
    for (const Comparison& each : result.others) {
      json["comparisons"].push_back({{"file", each.file},
                                     {"metrics", metrics_json(each.values)},
                                     {"difference", metrics_json(each.paired.difference)},
                                     {"intervals", intervals_json(each.paired.intervals)},
                                     {"p_values", p_values_json(each.paired.p_values)},
                                     {"holm_p_values", p_values_json(each.holm)}});
    }
  }
  json["bootstrap"] = bootstrap_json(result.bootstrap, result.by_group);
  json["convention"] = convention_json(result.metrics);
  return json;
}

}  // namespace cubcal
