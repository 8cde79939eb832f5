#include "cubcal/metrics/bins.h"

#include <algorithm>
#include <cmath>

namespace cubcal {

std::size_t bin_index(double value, std::size_t bins) {
  const double count = static_cast<double>(bins);
  const double guess = std::clamp(std::ceil(value * count) - 1.0, 0.0, count - 1.0);
  std::size_t bin = static_cast<std::size_t>(guess);
  // value * bins is rounded: hold the guess against the edges themselves.
  const auto edge = [&](std::size_t m) { return static_cast<double>(m) / count; };
  if (bin > 0 && value <= edge(bin)) --bin;
  if (bin + 1 < bins && value > edge(bin + 1)) ++bin;
  return bin;
}

}  // namespace cubcal
