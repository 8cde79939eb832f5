#include "cubcal/metrics/binomial.h"

#include <cmath>

#include "cubcal/core/check.h"

namespace cubcal {

double binomial_cdf(std::size_t count, std::size_t trials, double probability) {
  check_in_closed("a probability", probability, 0, 1);
  if (count >= trials || probability == 0) return 1;
  if (probability == 1) return 0;
  const auto n = static_cast<double>(trials);
  double sum = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(probability) + (n - k) * std::log1p(-probability));
  }
  return std::fmin(1.0, sum);
}

double upper_bound_of_share(std::size_t count, std::size_t trials, double level) {
  check_in_open("the level of a bound", level, 0, 1);
  if (count >= trials) return 1;
  double low = static_cast<double>(count) / static_cast<double>(trials);
  double high = 1;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (binomial_cdf(count, trials, middle) > 1 - level ? low : high) = middle;
  }
  return high;
}

double lower_bound_of_share(std::size_t count, std::size_t trials, double level) {
  return 1 - upper_bound_of_share(trials - count, trials, level);
}

}  // namespace cubcal
