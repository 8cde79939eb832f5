#include "cubcal/core/seed_stream.h"

#include <cmath>

namespace cubcal {

double SeedStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  constexpr double two_pi = 6.283185307179586476925286766559;
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
  const double angle = two_pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

}  // namespace cubcal
