#pragma once

#include <algorithm>
#include <cstddef>

#include "cubcal/core/array_view.h"

namespace cubcal {

/// The value below which `share` in [0, 1] of the values lies, of values in rising order, at least
/// one; linear between neighbours (NumPy's and R's default).
inline double quantile(ArrayView<const double> rising, double share) {
  const double place = share * static_cast<double>(rising.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, rising.size() - 1);
  return rising[below] + (place - static_cast<double>(below)) * (rising[above] - rising[below]);
}

}  // namespace cubcal
