#include "cubcal/evaluation/evaluation.h"

#include "cubcal/calibration/calibration.h"

namespace cubcal {

AppliedCalibration applied(const Calibration& calibration) {
  return {method_name(calibration.method), calibration_to_json(calibration)};
}

Evaluation evaluate_prediction(const Predictive& predictive, ArrayView<const std::int64_t> labels,
                               const std::vector<std::string>& groups, const EvaluationPlan& plan) {
  Evaluation evaluation;
  evaluation.facts = sample_facts(predictive, labels, plan.metrics);
  evaluation.values = metric_values(evaluation.facts);
  evaluation.bootstrap = plan.bootstrap;
  evaluation.bootstrap_by_group = plan.bootstrap && !groups.empty();
  if (!plan.clinical) {
    if (plan.bootstrap) {
      evaluation.intervals = bootstrap_intervals(evaluation.facts, groups, *plan.bootstrap);
    }
    return evaluation;
  }
  const ClinicalMetrics metrics(evaluation.facts, predictive, *plan.clinical);
  evaluation.clinical = ClinicalResult{*plan.clinical, metrics.values(), std::nullopt};
  if (plan.bootstrap) {
    std::vector<MetricValues> replicates;
    evaluation.clinical->intervals = metrics.intervals(groups, *plan.bootstrap, &replicates);
    evaluation.intervals = percentile_intervals(replicates, plan.bootstrap->level);
  }
  return evaluation;
}

Detection output_detection(const Predictive& in_distribution, const Predictive& out,
                           const std::string& title) {
  return {
      title,
      {{"confidence", "1 - confidence",
        detection_metrics(doubts(in_distribution.confidence), doubts(out.confidence))},
       {"uncertainty", "uncertainty U", detection_metrics(in_distribution.entropy, out.entropy)},
       {"mutual_information", "mutual information",
        detection_metrics(epistemic_parts(in_distribution), epistemic_parts(out))}}};
}

}  // namespace cubcal
