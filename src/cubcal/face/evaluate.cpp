#include "cubcal/evaluate.h"

#include "cubcal/metrics/bootstrap.h"
#include "cubcal/metrics/clinical.h"
#include "cubcal/uncertainty/predictive.h"
#include "cubcal/uncertainty/probabilities.h"

namespace cubcal {

namespace {

MetricOptions metric_options(const EvaluationOptions& options) {
  return {options.bins, options.gamma, options.uncertainty_threshold};
}

BootstrapOptions bootstrap_options(const EvaluationOptions& options) {
  return {options.replicates, options.confidence, options.seed};
}

MetricIntervals intervals_of(const SampleFacts& facts, const EvaluationOptions& options) {
  if (options.replicates == 0) return {};
  return bootstrap_intervals(facts, options.groups, bootstrap_options(options));
}

template <class Info>
MetricResult result_of(const Info& info, const std::optional<double>& value,
                       const std::optional<Interval>& interval) {
  MetricResult result{info.key, info.label, info.better, value, {}, {}};
  if (interval) {
    result.low = interval->low;
    result.high = interval->high;
  }
  return result;
}

void add_clinical(EvaluationSummary& summary, const SampleFacts& facts,
                  const Predictive& predictive, const EvaluationOptions& options) {
  const ClinicalMetrics clinical(facts, predictive);
  const ClinicalValues values = clinical.values();
  const ClinicalIntervals intervals =
      options.replicates == 0 ? ClinicalIntervals{}
                              : clinical.intervals(options.groups, bootstrap_options(options));
  for (std::size_t i = 0; i < kClinicalCount; ++i) {
    summary.metrics.push_back(
        result_of(clinical_infos()[i], values.overall[i], intervals.overall[i]));
  }
}

}  // namespace

Predictive predictive_of(const McLogits& logits) { return predict(logits); }

Predictive predictive_of_probabilities(const McLogits& probabilities) {
  return predict_probabilities(probabilities, {}, "probabilities");
}

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
    summary.metrics.push_back(
        result_of(info, values[info.metric], intervals[static_cast<std::size_t>(info.metric)]));
  }
  if (options.clinical) add_clinical(summary, facts, predictive, options);
  return summary;
}

EvaluationSummary evaluate(const McLogits& logits, const std::vector<std::int64_t>& labels,
                           const EvaluationOptions& options) {
  return evaluate(predict(logits), labels, options);
}

}  // namespace cubcal
