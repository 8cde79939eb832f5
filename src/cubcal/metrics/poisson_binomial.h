#pragma once

#include <cstddef>

#include "cubcal/core/array_view.h"

namespace cubcal {

/// From `low` to `high`, both within.
struct CountRange {
  std::size_t low = 0;
  std::size_t high = 0;
};

/// How many of independent events of these probabilities happen, X = sum_i Bernoulli(p_i): the
/// narrowest range that leaves at most (1 - level) / 2 on either side,
///   low  = max {k : P(X < k) <= (1 - level) / 2},
///   high = min {k : P(X > k) <= (1 - level) / 2}.
/// By adding one event after the other; probabilities below 1e-20 are left out on the way. No
/// events give 0 to 0.
CountRange poisson_binomial_range(ArrayView<const double> probabilities, double level);

}  // namespace cubcal
