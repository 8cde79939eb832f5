#include "cubcal/boundary/thresholds.h"

#include <algorithm>
#include <cmath>

#include "cubcal/boundary/curve.h"
#include "cubcal/core/check.h"

namespace cubcal {

namespace {

/// Where the falling function `bound` crosses eta on [low, 1].
template <class Bound>
double solve_falling(Bound bound, double eta, double low) {
  double high = 1.0;
  while (high - low > 1e-15) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (bound(middle) > eta ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

Thresholds thresholds_from_eta(double eta, std::size_t classes) {
  check_classes(classes);
  if (!(eta > 0 && eta < std::log(2.0))) {
    throw ArgumentError("eta must be in (0, ln 2 = 0.693147), not " + to_text(eta));
  }
  const double gamma_low = solve_falling([&](double c) { return u_min(c, classes); }, eta, 0.5);
  const double gamma_high = solve_falling([&](double c) { return u_max(c, classes); }, eta,
                                          1.0 / static_cast<double>(classes));
  // For eta near 0 both round to almost 1, and must keep their order.
  return {gamma_low, std::max(gamma_low, gamma_high), eta};
}

Thresholds paper_thresholds() { return {0.9, 0.923, 0.325}; }

void check_thresholds(const Thresholds& thresholds) {
  check_positive("eta", thresholds.eta);
  check_in_open("gamma_low", thresholds.gamma_low, 0.0, 1.0);
  check_in_closed("gamma_high", thresholds.gamma_high, thresholds.gamma_low, 1.0);
}

}  // namespace cubcal
