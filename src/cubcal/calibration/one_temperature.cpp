#include "cubcal/calibration/one_temperature.h"

#include "cubcal/uncertainty/predictive.h"

namespace cubcal {

std::vector<ScaledValues> values_by_temperature(const McLogits& logits,
                                                ArrayView<const std::int64_t> labels,
                                                const MetricOptions& options) {
  std::vector<ScaledValues> result;
  for (const double temperature : kComparedTemperatures) {
    const Predictive scaled = predict(logits, {&temperature, 1});
    result.push_back({temperature, metric_values(sample_facts(scaled, labels, options))});
  }
  return result;
}

}  // namespace cubcal
