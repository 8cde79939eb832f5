#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cubcal/metrics/metric_values.h"
#include "cubcal/uncertainty/mc_logits.h"

namespace cubcal {

/// From softer to sharper than the network as it is.
inline constexpr std::array<double, 10> kComparedTemperatures = {1.5, 1.25, 1.0, 0.9,  0.8,
                                                                 0.7, 0.65, 0.6, 0.55, 0.5};

/// The metrics when each pass's logits of every sample are divided by one temperature.
struct ScaledValues {
  double temperature;
  MetricValues values;
};

/// At each of kComparedTemperatures. A temperature below 1 raises the AvU of almost any network, at
/// a price in NLL and ECE: what a method gains in AvU has to be compared with this.
std::vector<ScaledValues> values_by_temperature(const McLogits& logits,
                                                ArrayView<const std::int64_t> labels,
                                                const MetricOptions& options);

}  // namespace cubcal
