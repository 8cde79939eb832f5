#include "cubcal/metrics/resampling.h"

#include <algorithm>

#include "cubcal/core/quantile.h"

namespace cubcal {

void check_bootstrap_options(const BootstrapOptions& options) {
  check_at_least("the number of bootstrap replicates", static_cast<double>(options.replicates), 1);
  check_in_open("the interval level", options.level, 0.0, 1.0);
}

std::vector<std::uint32_t> draw_counts(const ResamplingUnits& units, SeedStream& stream) {
  std::vector<std::uint32_t> drawn(units.count, 0);
  for (std::uint32_t i = 0; i < units.count; ++i) ++drawn[stream.below(units.count)];
  std::vector<std::uint32_t> counts(units.of_sample.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = drawn[units.of_sample[i]];
  return counts;
}

Interval percentile_interval(std::vector<double> values, double level) {
  std::sort(values.begin(), values.end());
  const double tail = 0.5 * (1.0 - level);
  return {quantile(values, tail), quantile(values, 1.0 - tail), values.size()};
}

}  // namespace cubcal
