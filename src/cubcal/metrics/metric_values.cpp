#include "cubcal/metrics/metric_values.h"

#include "cubcal/metrics/accuracy_vs_uncertainty.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/metrics/classification.h"
#include "cubcal/metrics/selective.h"

namespace cubcal {

const std::array<MetricInfo, kMetricCount>& metric_infos() {
  static const std::array<MetricInfo, kMetricCount> infos = {{
      {Metric::kAccuracy, "accuracy", "accuracy", MetricUnit::kPercent, +1},
      {Metric::kBalancedAccuracy, "balanced_accuracy", "balanced accuracy", MetricUnit::kPercent,
       +1},
      {Metric::kNll, "nll", "NLL", MetricUnit::kNats, -1},
      {Metric::kBrier, "brier", "Brier", MetricUnit::kFraction, -1},
      {Metric::kEce, "ece", "ECE", MetricUnit::kPercent, -1},
      {Metric::kUce, "uce", "UCE", MetricUnit::kPercent, -1},
      {Metric::kBcce, "bcce", "BCCE", MetricUnit::kPercent, -1},
      {Metric::kAvu, "avu", "AvU", MetricUnit::kFraction, +1},
      {Metric::kAvuAuc, "avu_auc", "AvU-AUC", MetricUnit::kFraction, +1},
      {Metric::kUCorrect, "u_correct", "U correct", MetricUnit::kNats, 0},
      {Metric::kUIncorrect, "u_incorrect", "U incorrect", MetricUnit::kNats, 0},
      {Metric::kDeltaU, "delta_u", "ΔU", MetricUnit::kNats, +1},
      {Metric::kAccurateCertain, "n_ac", "n AC", MetricUnit::kCount, 0},
      {Metric::kAccurateUncertain, "n_au", "n AU", MetricUnit::kCount, 0},
      {Metric::kInaccurateCertain, "n_ic", "n IC", MetricUnit::kCount, 0},
      {Metric::kInaccurateUncertain, "n_iu", "n IU", MetricUnit::kCount, 0},
      {Metric::kMiMean, "mi_mean", "mean MI", MetricUnit::kNats, 0},
      {Metric::kAurc, "aurc", "AURC", MetricUnit::kPercent, -1},
  }};
  return infos;
}

MetricValues metric_values(const SampleFacts& facts, SampleCounts counts) {
  MetricValues values;
  values[Metric::kAccuracy] = accuracy(facts, counts);
  values[Metric::kBalancedAccuracy] = balanced_accuracy(facts, counts);
  values[Metric::kNll] = negative_log_likelihood(facts, counts);
  values[Metric::kBrier] = brier_score(facts, counts);
  values[Metric::kEce] = expected_calibration_error(facts, counts).value;
  values[Metric::kUce] = uncertainty_calibration_error(facts, counts).value;
  values[Metric::kBcce] = boundary_curve_calibration_error(facts, counts).value;
  const AvuCounts states = avu_counts(facts, counts);
  values[Metric::kAvu] = states.avu();
  values[Metric::kAvuAuc] = avu_area(avu_curve(facts, counts));
  const UncertaintySeparation separation = uncertainty_separation(facts, counts);
  values[Metric::kUCorrect] = separation.correct;
  values[Metric::kUIncorrect] = separation.incorrect;
  values[Metric::kDeltaU] = separation.delta;
  values[Metric::kAccurateCertain] = states.accurate_certain;
  values[Metric::kAccurateUncertain] = states.accurate_uncertain;
  values[Metric::kInaccurateCertain] = states.inaccurate_certain;
  values[Metric::kInaccurateUncertain] = states.inaccurate_uncertain;
  values[Metric::kMiMean] = mean_mutual_information(facts, counts);
  values[Metric::kAurc] = area_under_risk_coverage(facts, counts);
  return values;
}

}  // namespace cubcal
