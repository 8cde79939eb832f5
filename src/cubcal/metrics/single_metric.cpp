#include "cubcal/metrics/single_metric.h"

#include "cubcal/metrics/accuracy_vs_uncertainty.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/metrics/classification.h"
#include "cubcal/metrics/selective.h"
#include "cubcal/metrics/streamed_ece.h"

namespace cubcal {

namespace {

WantedFacts wanted_by(Metric metric) {
  WantedFacts wanted;
  wanted.confidence_bins = metric == Metric::kEce || metric == Metric::kBcce;
  wanted.uncertainty_bins = metric == Metric::kUce;
  wanted.ideal = metric == Metric::kBcce;
  wanted.likelihood = metric == Metric::kNll;
  wanted.brier = metric == Metric::kBrier;
  wanted.mutual_information = metric == Metric::kMiMean;
  wanted.order = metric == Metric::kAurc || metric == Metric::kAvuAuc;
  return wanted;
}

}  // namespace

PredictionParts parts_for(Metric metric) {
  switch (metric) {
    case Metric::kAccuracy:
    case Metric::kBalancedAccuracy:
    case Metric::kEce: return {false, false};
    case Metric::kNll:
    case Metric::kBrier: return {true, false};
    default: return {false, true};
  }
}

std::optional<double> metric_value(Metric metric, const Predictive& predictive,
                                   ArrayView<const std::int64_t> labels,
                                   const MetricOptions& options) {
  const SampleFacts facts = sample_facts(predictive, labels, options, wanted_by(metric));
  switch (metric) {
    case Metric::kAccuracy: return accuracy(facts);
    case Metric::kBalancedAccuracy: return balanced_accuracy(facts);
    case Metric::kNll: return negative_log_likelihood(facts);
    case Metric::kBrier: return brier_score(facts);
    case Metric::kEce: return expected_calibration_error(facts).value;
    case Metric::kUce: return uncertainty_calibration_error(facts).value;
    case Metric::kBcce: return boundary_curve_calibration_error(facts).value;
    case Metric::kAvu: return avu_counts(facts).avu();
    case Metric::kAvuAuc: return avu_area(avu_curve(facts));
    case Metric::kUCorrect: return uncertainty_separation(facts).correct;
    case Metric::kUIncorrect: return uncertainty_separation(facts).incorrect;
    case Metric::kDeltaU: return uncertainty_separation(facts).delta;
    case Metric::kAccurateCertain: return avu_counts(facts).accurate_certain;
    case Metric::kAccurateUncertain: return avu_counts(facts).accurate_uncertain;
    case Metric::kInaccurateCertain: return avu_counts(facts).inaccurate_certain;
    case Metric::kInaccurateUncertain: return avu_counts(facts).inaccurate_uncertain;
    case Metric::kMiMean: return mean_mutual_information(facts);
    case Metric::kAurc: return area_under_risk_coverage(facts);
  }
  return std::nullopt;
}

std::optional<double> metric_value(Metric metric, const NdArray& probabilities,
                                   ArrayView<const std::int64_t> labels,
                                   const MetricOptions& options, const std::string& name) {
  if (metric == Metric::kEce) {
    if (const auto ece = streamed_ece(probabilities, labels, options.bins)) return ece;
  }
  return metric_value(metric,
                      predict_probabilities(McLogits(probabilities), parts_for(metric), name),
                      labels, options);
}

}  // namespace cubcal
