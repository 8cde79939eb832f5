#include "cubcal/boundary/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

double minus_x_log_x(double x) { return x > 0 ? -x * std::log(x) : 0.0; }

double residual_entropy(double c) {
  // log1p keeps -c ln c accurate near c = 1.
  const double rest = 1.0 - c;
  return c > 0.5 ? -c * std::log1p(-rest) + minus_x_log_x(rest)
                 : minus_x_log_x(c) + minus_x_log_x(rest);
}

}  // namespace

double binary_entropy(double c) {
  check_in_closed("confidence", c, 0.0, 1.0);
  return c == 1.0 ? 0.0 : residual_entropy(c);
}

double confidence_in_domain(double c, std::size_t classes) {
  check_classes(classes);
  const double lowest = 1.0 / static_cast<double>(classes);
  const double slack = 16 * std::numeric_limits<double>::epsilon();
  if (c < lowest && c >= lowest - slack) return lowest;
  if (c > 1.0 && c <= 1.0 + slack) return 1.0;
  check_in_closed("confidence", c, lowest, 1.0);
  return c;
}

double u_min(double c, std::size_t classes) {
  return binary_entropy(confidence_in_domain(c, classes));
}

double u_max(double c, std::size_t classes) {
  c = confidence_in_domain(c, classes);
  return binary_entropy(c) + (1.0 - c) * std::log(static_cast<double>(classes - 1));
}

double u_min_attainable(double c, std::size_t classes) {
  c = confidence_in_domain(c, classes);
  if (c >= 0.5) return binary_entropy(c);
  const double full = std::min(std::floor(1.0 / c), static_cast<double>(classes));
  const double rest = std::max(0.0, 1.0 - full * c);
  return full * minus_x_log_x(c) + minus_x_log_x(rest);
}

void check_gamma(double gamma, std::size_t classes) {
  check_classes(classes);
  check_in_closed("gamma", gamma, 1.0 / static_cast<double>(classes), 1.0);
}

double u_ideal(double c, std::size_t classes, double gamma) {
  check_gamma(gamma, classes);
  return c > gamma ? u_min(c, classes) : u_max(c, classes);
}

}  // namespace cubcal
