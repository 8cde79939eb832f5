#include "cubcal/report/objective_map.h"

#include <cmath>

#include "cubcal/calibration/temperature_curve.h"

namespace cubcal::report {

namespace {

constexpr std::size_t kPoints = 31;
constexpr double kSmallest = 0.02;  // T_high
constexpr double kLargest = 50;     // T_low

std::vector<double> geometric(double first, double last) {
  std::vector<double> values;
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(kPoints - 1);
    values.push_back(first * std::pow(last / first, share));
  }
  return values;
}

}  // namespace

ObjectiveMap objective_map(const McLogits& logits, ArrayView<const std::int64_t> labels,
                           const Predictive& unscaled, const Calibration& calibration) {
  std::vector<std::size_t> sharpened;
  std::vector<std::size_t> softened;
  for (std::size_t i = 0; i < unscaled.samples; ++i) {
    const ScalingRegion region =
        scaling_region(unscaled.confidence[i], unscaled.entropy[i], calibration.thresholds);
    (region == ScalingRegion::kSharpen ? sharpened : softened).push_back(i);
  }
  ObjectiveMap map;
  map.t_high = geometric(kSmallest, 1);
  map.t_low = geometric(1, kLargest);
  const CurveOptions options{calibration.bins, calibration.gamma};
  const TemperatureCurve high = temperature_curve(logits, sharpened, labels, map.t_high, options);
  const TemperatureCurve low = temperature_curve(logits, softened, labels, map.t_low, options);
  const auto samples = static_cast<double>(unscaled.samples);
  for (std::size_t j = 0; j < kPoints; ++j) {
    for (std::size_t i = 0; i < kPoints; ++i) {
      double sum = 0;
      for (std::size_t m = 0; m < calibration.bins; ++m) {
        sum += std::abs(high.deviation_at(i)[m] + low.deviation_at(j)[m]);
      }
      map.bcce.push_back(sum / samples);
      if (!labels.empty()) map.nll.push_back((high.nll[i] + low.nll[j]) / samples);
    }
  }
  if (!labels.empty()) map.nll_at_one = map.nll[map.index(0, kPoints - 1)];
  return map;
}

}  // namespace cubcal::report
