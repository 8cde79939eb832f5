#pragma once

#include <cstdint>
#include <optional>

#include "cubcal/metrics/metric_values.h"
#include "cubcal/uncertainty/probabilities.h"

namespace cubcal {

/// One metric without the work of the others: equal, to the bit, to that of metric_values().
std::optional<double> metric_value(Metric metric, const Predictive& predictive,
                                   ArrayView<const std::int64_t> labels,
                                   const MetricOptions& options);

/// Of probabilities [S,N,K] or [N,K] as they are, which errors call `name`.
std::optional<double> metric_value(Metric metric, const NdArray& probabilities,
                                   ArrayView<const std::int64_t> labels,
                                   const MetricOptions& options, const std::string& name);

/// What it looks at besides class and confidence: a prediction for it may lack the rest.
PredictionParts parts_for(Metric metric);

}  // namespace cubcal
