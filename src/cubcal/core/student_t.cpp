#include "cubcal/core/student_t.h"

#include <cmath>
#include <limits>

namespace cubcal {

namespace {

/// The continued fraction of I_x(a, b), by Lentz's method; converges fast for
/// x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = std::numeric_limits<double>::min();
  constexpr int most_terms = 1000;
  const auto away_from_zero = [](double value) { return std::fabs(value) < tiny ? tiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < most_terms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= d * c;
    if (std::fabs(d * c - 1) < std::numeric_limits<double>::epsilon()) break;
  }
  return fraction;
}

}  // namespace

double student_tail(double t, double degrees) {
  if (std::isinf(t)) return 0;
  const double a = 0.5 * degrees;
  const double b = 0.5;
  // x and 1 - x, each without cancellation.
  const double x = degrees / (degrees + t * t);
  const double rest = t * t / (degrees + t * t);
  if (rest == 0) return 0.5;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log(rest));
  if (x < (a + 1) / (a + b + 2)) return 0.5 * front * beta_fraction(a, b, x) / a;
  return 0.5 - 0.5 * front * beta_fraction(b, a, rest) / b;
}

double student_quantile(double tail, double degrees) {
  double low = 0;
  double high = 1;
  while (student_tail(high, degrees) > tail) {
    low = high;
    high *= 2;
  }
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return high;
    (student_tail(middle, degrees) > tail ? low : high) = middle;
  }
}

}  // namespace cubcal
