#pragma once

#include <cstddef>

#include "cubcal/core/conventions.h"

namespace cubcal {

/// The operating point of dual temperature scaling (paper, section on the DTS algorithm).
struct Thresholds {
  double gamma_low;   ///< confidence at which U_min equals eta
  double gamma_high;  ///< confidence at which U_max equals eta
  double eta;         ///< uncertainty threshold in nats
};

/// gamma_low solves U_min = eta on [1/2, 1] and gamma_high solves U_max = eta on [1/K, 1], both to
/// 1e-12. eta must lie in (0, ln 2): above ln 2 no confidence has U_min = eta.
Thresholds thresholds_from_eta(double eta, std::size_t classes);

/// The triple (0.9, 0.923, 0.325) that the paper derives at K = 3 and uses on every data set.
Thresholds paper_thresholds();

/// Checks 0 < gamma_low < 1, gamma_low <= gamma_high <= 1 and eta > 0 for thresholds that come from
/// outside.
void check_thresholds(const Thresholds& thresholds);

}  // namespace cubcal
