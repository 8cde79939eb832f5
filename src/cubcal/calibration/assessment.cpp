#include "cubcal/calibration/assessment.h"

namespace cubcal {

CalibrationAssessment assess_calibration(const Calibration& calibration, const Predictive& unscaled,
                                         const Predictive& scaled,
                                         ArrayView<const std::int64_t> labels,
                                         const MetricOptions& options) {
  CalibrationAssessment assessment;
  assessment.before = metric_values(sample_facts(unscaled, labels, options));
  assessment.after = metric_values(sample_facts(scaled, labels, options));
  std::size_t sharpened = 0;
  for (std::size_t i = 0; i < unscaled.samples; ++i) {
    const ScalingRegion region =
        scaling_region(unscaled.confidence[i], unscaled.entropy[i], calibration.thresholds);
    if (region == ScalingRegion::kSharpen) ++sharpened;
    if (unscaled.predicted[i] == scaled.predicted[i]) continue;
    if (unscaled.predicted[i] == labels[i]) {
      ++assessment.flips.to_wrong;
    } else if (scaled.predicted[i] == labels[i]) {
      ++assessment.flips.to_right;
    } else {
      ++assessment.flips.wrong_to_wrong;
    }
  }
  assessment.share_sharpened =
      static_cast<double>(sharpened) / static_cast<double>(unscaled.samples);
  return assessment;
}

}  // namespace cubcal
