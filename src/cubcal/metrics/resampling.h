#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "cubcal/core/check.h"
#include "cubcal/core/seed_stream.h"

/// The parts of a percentile bootstrap: units that are drawn together, draws, intervals.
namespace cubcal {

struct BootstrapOptions {
  std::size_t replicates = 1000;  ///< resamples
  double level = 0.95;            ///< coverage of the interval
  std::uint64_t seed = 0;         ///< replicate r uses the stream (seed, r)
};

/// Throws ArgumentError where a field is outside its domain.
void check_bootstrap_options(const BootstrapOptions& options);

/// A percentile interval. `replicates` is how many of them had a defined value.
struct Interval {
  double low;
  double high;
  std::size_t replicates;
};

/// Which unit (sample, or group of samples) each sample is drawn with.
struct ResamplingUnits {
  std::vector<std::uint32_t> of_sample;
  std::uint32_t count = 0;
};

/// `groups` has one entry per sample, or none: then each sample is a unit of its own. `what` names
/// the samples in errors.
template <class Groups>
ResamplingUnits resampling_units(std::size_t samples, const Groups& groups, const char* what) {
  ResamplingUnits units;
  units.of_sample.resize(samples);
  if (groups.size() > 0) check_same_size("groups", groups.size(), what, samples);
  using Group = std::decay_t<decltype(groups[0])>;
  std::unordered_map<Group, std::uint32_t> numbers;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::uint32_t next = groups.size() > 0 ? static_cast<std::uint32_t>(numbers.size())
                                                 : static_cast<std::uint32_t>(i);
    units.of_sample[i] = groups.size() > 0 ? numbers.emplace(groups[i], next).first->second : next;
  }
  units.count = static_cast<std::uint32_t>(groups.size() > 0 ? numbers.size() : samples);
  return units;
}

/// How often each sample counts when as many units are drawn, with replacement, as there are.
std::vector<std::uint32_t> draw_counts(const ResamplingUnits& units, SeedStream& stream);

/// Between order statistics by linear interpolation, as NumPy's default; of at least one value.
Interval percentile_interval(std::vector<double> values, double level);

}  // namespace cubcal
