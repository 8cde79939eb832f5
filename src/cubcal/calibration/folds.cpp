#include "cubcal/calibration/folds.h"

#include <algorithm>
#include <numeric>

#include "cubcal/core/seed_stream.h"
#include "cubcal/metrics/resampling.h"

namespace cubcal {

namespace {

template <class Wanted>
std::vector<std::size_t> samples_where(const std::vector<std::uint32_t>& folds, Wanted wanted) {
  std::vector<std::size_t> samples;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (wanted(folds[i])) samples.push_back(i);
  }
  return samples;
}

}  // namespace

std::vector<std::size_t> Folds::inside(std::size_t fold) const {
  return samples_where(of_sample, [&](std::uint32_t each) { return each == fold; });
}

std::vector<std::size_t> Folds::outside(std::size_t fold) const {
  return samples_where(of_sample, [&](std::uint32_t each) { return each != fold; });
}

Folds make_folds(std::size_t samples, const std::vector<std::string>& groups, std::size_t count,
                 std::uint64_t seed) {
  const ResamplingUnits units = resampling_units(samples, groups, "samples");
  std::vector<std::size_t> sizes(units.count, 0);
  for (const std::uint32_t unit : units.of_sample) ++sizes[unit];
  std::vector<std::uint32_t> order(units.count);
  std::iota(order.begin(), order.end(), 0U);
  SeedStream stream(seed, 0);
  for (std::uint32_t last = units.count; last > 1; --last) {
    std::swap(order[last - 1], order[stream.below(last)]);
  }
  // Large groups first: the small ones then even out the folds.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return sizes[a] > sizes[b]; });
  Folds folds;
  folds.count = std::min<std::size_t>(std::max<std::size_t>(count, 1), units.count);
  std::vector<std::size_t> filled(folds.count, 0);
  std::vector<std::uint32_t> of_unit(units.count);
  for (const std::uint32_t unit : order) {
    const auto smallest = std::min_element(filled.begin(), filled.end());
    *smallest += sizes[unit];
    of_unit[unit] = static_cast<std::uint32_t>(smallest - filled.begin());
  }
  for (const std::uint32_t unit : units.of_sample) folds.of_sample.push_back(of_unit[unit]);
  return folds;
}

}  // namespace cubcal
