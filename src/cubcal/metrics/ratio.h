#pragma once

#include <optional>

namespace cubcal {

/// part / whole; undefined where there is no whole.
inline std::optional<double> ratio(double part, double whole) {
  if (whole == 0) return std::nullopt;
  return part / whole;
}

}  // namespace cubcal
