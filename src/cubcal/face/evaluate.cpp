#include "cubcal/evaluate.h"

#include "cubcal/metrics/bootstrap.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal {

namespace {

MetricOptions metric_options(const EvaluationOptions& options) {
  return {options.bins, options.gamma, options.uncertainty_threshold};
}

MetricIntervals intervals_of(const SampleFacts& facts, const EvaluationOptions& options) {
  if (options.replicates == 0) return {};
  return bootstrap_intervals(facts, options.groups,
                             {options.replicates, options.confidence, options.seed});
}

}  // namespace

Predictive predictive_of(const McLogits& logits) { return predict(logits); }

const MetricResult& EvaluationSummary::operator[](const std::string& key) const {
  std::string keys;
  for (const MetricResult& each : metrics) {
    if (each.key == key) return each;
    keys += (keys.empty() ? "" : ", ") + each.key;
  }
  throw ArgumentError("there is no metric '" + key + "': there are " + keys);
}

EvaluationSummary evaluate(const Predictive& predictive, const std::vector<std::int64_t>& labels,
                           const EvaluationOptions& options) {
  const SampleFacts facts = sample_facts(predictive, labels, metric_options(options));
  const MetricValues values = metric_values(facts);
  const MetricIntervals intervals = intervals_of(facts, options);
  EvaluationSummary summary{facts.samples, facts.classes, {}};
  for (const MetricInfo& info : metric_infos()) {
    MetricResult result{info.key, info.label, info.better, values[info.metric], {}, {}};
    if (const auto& interval = intervals[static_cast<std::size_t>(info.metric)]) {
      result.low = interval->low;
      result.high = interval->high;
    }
    summary.metrics.push_back(std::move(result));
  }
  return summary;
}

EvaluationSummary evaluate(const McLogits& logits, const std::vector<std::int64_t>& labels,
                           const EvaluationOptions& options) {
  return evaluate(predict(logits), labels, options);
}

}  // namespace cubcal
