#include "cubcal/metrics/counted_share.h"

#include "cubcal/core/check.h"
#include "cubcal/metrics/binomial.h"
#include "cubcal/metrics/ratio.h"

namespace cubcal {

std::optional<double> CountedShare::share() const {
  return ratio(static_cast<double>(count), static_cast<double>(of));
}

CountedShare counted_share(std::size_t count, std::size_t of, double level) {
  check_in_open("the interval level", level, 0, 1);
  const double side = 0.5 + 0.5 * level;
  return {count, of, lower_bound_of_share(count, of, side), upper_bound_of_share(count, of, side)};
}

}  // namespace cubcal
