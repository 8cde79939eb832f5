#pragma once

#include <cstddef>
#include <optional>

namespace cubcal {

/// A share of counted samples with its exact interval (Clopper and Pearson).
struct CountedShare {
  std::size_t count = 0;
  std::size_t of = 0;
  double low = 0;
  double high = 1;

  /// Undefined of no samples.
  std::optional<double> share() const;
};

}  // namespace cubcal
