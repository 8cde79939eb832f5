#include "cubcal/metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"
#include "cubcal/core/seed_stream.h"

namespace cubcal {

namespace {

/// Which unit (sample, or group of samples) each sample is drawn with.
struct Units {
  std::vector<std::uint32_t> of_sample;
  std::uint32_t count;
};

Units resampling_units(std::size_t samples, const std::vector<std::string>& groups) {
  Units units;
  units.of_sample.resize(samples);
  if (groups.empty()) {
    for (std::size_t i = 0; i < samples; ++i) {
      units.of_sample[i] = static_cast<std::uint32_t>(i);
    }
    units.count = static_cast<std::uint32_t>(samples);
    return units;
  }
  check_same_size("groups", groups.size(), "labels", samples);
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::uint32_t next = static_cast<std::uint32_t>(numbers.size());
    units.of_sample[i] = numbers.emplace(groups[i], next).first->second;
  }
  units.count = static_cast<std::uint32_t>(numbers.size());
  return units;
}

std::vector<std::uint32_t> draw_counts(const Units& units, std::uint64_t seed,
                                       std::uint64_t replicate) {
  SeedStream stream(seed, replicate);
  std::vector<std::uint32_t> drawn(units.count, 0);
  for (std::uint32_t i = 0; i < units.count; ++i) ++drawn[stream.below(units.count)];
  std::vector<std::uint32_t> counts(units.of_sample.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = drawn[units.of_sample[i]];
  return counts;
}

/// Linear interpolation between order statistics, as NumPy's default.
double quantile(const std::vector<double>& sorted, double probability) {
  const double position = probability * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

using Resample = std::function<MetricValues(SampleCounts)>;

MetricIntervals percentile_intervals(const Units& units, const BootstrapOptions& options,
                                     const Resample& resample) {
  check_at_least("the number of bootstrap replicates", static_cast<double>(options.replicates), 1);
  check_in_open("the interval level", options.level, 0.0, 1.0);
  std::vector<MetricValues> replicates(options.replicates);
  parallel_blocks(options.replicates, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      const std::vector<std::uint32_t> counts = draw_counts(units, options.seed, r);
      replicates[r] = resample(SampleCounts(counts));
    }
  });
  MetricIntervals intervals;
  for (const MetricInfo& info : metric_infos()) {
    std::vector<double> values;
    for (const MetricValues& replicate : replicates) {
      if (replicate[info.metric]) values.push_back(*replicate[info.metric]);
    }
    if (values.empty()) continue;
    std::sort(values.begin(), values.end());
    const double tail = 0.5 * (1.0 - options.level);
    intervals[static_cast<std::size_t>(info.metric)] =
        Interval{quantile(values, tail), quantile(values, 1.0 - tail), values.size()};
  }
  return intervals;
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

MetricIntervals bootstrap_intervals(const SampleFacts& facts,
                                    const std::vector<std::string>& groups,
                                    const BootstrapOptions& options) {
  return percentile_intervals(resampling_units(facts.samples, groups), options,
                              [&](SampleCounts counts) { return metric_values(facts, counts); });
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
  result.intervals =
      percentile_intervals(resampling_units(a.samples, groups), options, [&](SampleCounts counts) {
        return subtract(metric_values(b, counts), metric_values(a, counts));
      });
  return result;
}

}  // namespace cubcal
