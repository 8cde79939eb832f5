#include "cubcal/metrics/holm.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cubcal/core/check.h"
#include "cubcal/metrics/value_order.h"

namespace cubcal {

std::vector<double> holm_adjusted(const std::vector<double>& p_values) {
  for (const double p : p_values) check_in_closed("a p-value", p, 0, 1);
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  std::size_t left = p_values.size();
  for (const std::uint32_t i : ascending_order(p_values)) {
    largest = std::max(largest, static_cast<double>(left--) * p_values[i]);
    adjusted[i] = std::min(1.0, largest);
  }
  return adjusted;
}

}  // namespace cubcal
