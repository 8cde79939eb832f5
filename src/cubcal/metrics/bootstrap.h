#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/metrics/metric_values.h"
#include "cubcal/metrics/resampling.h"

namespace cubcal {

/// An interval for each metric; nothing where no replicate was defined.
using MetricIntervals = std::array<std::optional<Interval>, kMetricCount>;

/// Percentile bootstrap over samples, or over whole groups (all images of a patient together) when
/// `groups` names one for each sample. The result depends on the seed, not on the threads.
MetricIntervals bootstrap_intervals(const SampleFacts& facts,
                                    const std::vector<std::string>& groups,
                                    const BootstrapOptions& options);

/// Of the values that replicates have.
MetricIntervals percentile_intervals(const std::vector<MetricValues>& replicates, double level);

/// Intervals of (b - a) over the same samples, each replicate resampling both alike.
struct PairedDifference {
  MetricValues difference;
  MetricIntervals intervals;
  /// Two-sided: 2 min(#(d <= 0) + 1, #(d >= 0) + 1) / (replicates + 1), at most 1, over the
  /// differences d of the replicates. Undefined as the interval.
  MetricValues p_values;
};

/// Throws DataError unless both have the same samples, labels and classes.
PairedDifference paired_bootstrap(const SampleFacts& a, const SampleFacts& b,
                                  const std::vector<std::string>& groups,
                                  const BootstrapOptions& options);

/// Which side of 0 an interval of a difference lies on: 1 for the better, -1 for the worse, 0 where
/// it holds 0, is not known, or the metric has no better side.
int better_side(const MetricInfo& info, const std::optional<Interval>& interval);

}  // namespace cubcal
