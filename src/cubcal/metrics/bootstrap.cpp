#include "cubcal/metrics/bootstrap.h"

#include <algorithm>
#include <functional>

#include "cubcal/core/parallel.h"

namespace cubcal {

namespace {

using Resample = std::function<MetricValues(SampleCounts)>;

std::vector<MetricValues> resampled(const ResamplingUnits& units, const BootstrapOptions& options,
                                    const Resample& resample) {
  check_bootstrap_options(options);
  std::vector<MetricValues> replicates(options.replicates);
  parallel_blocks(options.replicates, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      SeedStream stream(options.seed, r);
      const std::vector<std::uint32_t> counts = draw_counts(units, stream);
      replicates[r] = resample(SampleCounts(counts));
    }
  });
  return replicates;
}

/// The replicates in which the metric is defined.
std::vector<double> defined_values(const std::vector<MetricValues>& replicates, Metric metric) {
  std::vector<double> values;
  for (const MetricValues& replicate : replicates) {
    if (replicate[metric]) values.push_back(*replicate[metric]);
  }
  return values;
}

/// Of the hypothesis that the differences are around 0.
MetricValues two_sided_p_values(const std::vector<MetricValues>& differences) {
  MetricValues p_values;
  for (const MetricInfo& info : metric_infos()) {
    const std::vector<double> values = defined_values(differences, info.metric);
    if (values.empty()) continue;
    double not_above = 0;
    double not_below = 0;
    for (const double value : values) {
      not_above += value <= 0 ? 1 : 0;
      not_below += value >= 0 ? 1 : 0;
    }
    const double all = static_cast<double>(values.size()) + 1;
    p_values[info.metric] = std::min(1.0, 2 * (std::min(not_above, not_below) + 1) / all);
  }
  return p_values;
}

MetricValues subtract(const MetricValues& b, const MetricValues& a) {
  MetricValues difference;
  for (const MetricInfo& info : metric_infos()) {
    if (a[info.metric] && b[info.metric]) {
      difference[info.metric] = *b[info.metric] - *a[info.metric];
    }
  }
  return difference;
}

}  // namespace

MetricIntervals percentile_intervals(const std::vector<MetricValues>& replicates, double level) {
  MetricIntervals intervals;
  for (const MetricInfo& info : metric_infos()) {
    std::vector<double> values = defined_values(replicates, info.metric);
    if (values.empty()) continue;
    intervals[static_cast<std::size_t>(info.metric)] =
        percentile_interval(std::move(values), level);
  }
  return intervals;
}

MetricIntervals bootstrap_intervals(const SampleFacts& facts,
                                    const std::vector<std::string>& groups,
                                    const BootstrapOptions& options) {
  return percentile_intervals(
      resampled(resampling_units(facts.samples, groups, "labels"), options,
                [&](SampleCounts counts) { return metric_values(facts, counts); }),
      options.level);
}

PairedDifference paired_bootstrap(const SampleFacts& a, const SampleFacts& b,
                                  const std::vector<std::string>& groups,
                                  const BootstrapOptions& options) {
  if (a.samples != b.samples || a.classes != b.classes) {
    throw DataError("a paired comparison needs the same samples and classes on both sides, not N=" +
                    std::to_string(a.samples) + ", K=" + std::to_string(a.classes) +
                    " and N=" + std::to_string(b.samples) + ", K=" + std::to_string(b.classes));
  }
  const auto differing = std::mismatch(a.labels.begin(), a.labels.end(), b.labels.begin()).first;
  if (differing != a.labels.end()) {
    throw DataError(
        "a paired comparison needs the same labels on both sides; they first differ at "
        "sample " +
        std::to_string(differing - a.labels.begin()));
  }
  PairedDifference result;
  result.difference = subtract(metric_values(b), metric_values(a));
  const std::vector<MetricValues> differences =
      resampled(resampling_units(a.samples, groups, "labels"), options, [&](SampleCounts counts) {
        return subtract(metric_values(b, counts), metric_values(a, counts));
      });
  result.intervals = percentile_intervals(differences, options.level);
  result.p_values = two_sided_p_values(differences);
  return result;
}

int better_side(const MetricInfo& info, const std::optional<Interval>& interval) {
  if (!interval || info.better == 0 || (interval->low <= 0 && interval->high >= 0)) return 0;
  return (interval->low > 0) == (info.better > 0) ? 1 : -1;
}

}  // namespace cubcal
