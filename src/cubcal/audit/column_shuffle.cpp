#include "cubcal/audit/column_shuffle.h"

#include <map>
#include <numeric>
#include <utility>

namespace cubcal {

namespace {

void shuffle(std::vector<std::uint32_t>& values, SeedStream& stream) {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1], values[stream.below(static_cast<std::uint32_t>(left))]);
  }
}

}  // namespace

std::vector<std::vector<std::uint32_t>> samples_of_units(const ResamplingUnits& units) {
  std::vector<std::vector<std::uint32_t>> samples(units.count);
  for (std::size_t i = 0; i < units.of_sample.size(); ++i) {
    samples[units.of_sample[i]].push_back(static_cast<std::uint32_t>(i));
  }
  return samples;
}

bool is_constant_in_units(const std::vector<std::uint32_t>& values, const ResamplingUnits& units) {
  std::vector<std::int64_t> of_unit(units.count, -1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t& own = of_unit[units.of_sample[i]];
    if (own >= 0 && own != values[i]) return false;
    own = values[i];
  }
  return true;
}

std::vector<std::uint32_t> shuffled_units(const ResamplingUnits& units, SeedStream& stream) {
  std::vector<std::uint32_t> order(units.count);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, stream);
  return order;
}

std::vector<std::uint32_t> shuffled_samples(
    const std::vector<std::vector<std::uint32_t>>& samples_of_unit, SeedStream& stream) {
  std::map<std::size_t, std::vector<std::uint32_t>> units_of_size;
  std::size_t samples = 0;
  for (std::size_t u = 0; u < samples_of_unit.size(); ++u) {
    units_of_size[samples_of_unit[u].size()].push_back(static_cast<std::uint32_t>(u));
    samples += samples_of_unit[u].size();
  }
  std::vector<std::uint32_t> source(samples);
  for (const auto& each : units_of_size) {
    const std::vector<std::uint32_t>& takers = each.second;
    std::vector<std::uint32_t> givers = takers;
    shuffle(givers, stream);
    for (std::size_t u = 0; u < takers.size(); ++u) {
      std::vector<std::uint32_t> given = samples_of_unit[givers[u]];
      shuffle(given, stream);
      for (std::size_t k = 0; k < given.size(); ++k) {
        source[samples_of_unit[takers[u]][k]] = given[k];
      }
    }
  }
  return source;
}

}  // namespace cubcal
