#include "cubcal/metrics/binomial.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

/// Smaller terms no longer change a sum.
constexpr double kNegligible = 1e-18;

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

/// The sum of falling terms: `first`, then each the last times ratio(0), ratio(1), ...
template <class Ratio>
double sum_of_tail(double first, std::size_t terms, Ratio ratio) {
  double term = first;
  double sum = 0;
  for (std::size_t i = 0; i < terms; ++i) {
    sum += term;
    term *= ratio(i);
    if (term < kNegligible * sum) break;
  }
  return sum;
}

}  // namespace

double binomial_cdf(std::size_t count, std::size_t trials, double probability) {
  check_in_closed("a probability", probability, 0, 1);
  if (count >= trials || probability == 0) return 1;
  if (probability == 1) return 0;
  const auto n = static_cast<double>(trials);
  const auto k = static_cast<double>(count);
  const double odds = probability / (1 - probability);
  const auto term = [&](double at) {
    return std::exp(log_choose(n, at) + at * std::log(probability) +
                    (n - at) * std::log1p(-probability));
  };
  if (k < n * probability) {  // from the count down
    const double sum = sum_of_tail(term(k), count + 1, [&](std::size_t i) {
      const double at = k - static_cast<double>(i);
      return at / ((n - at + 1) * odds);
    });
    return std::min(1.0, sum);
  }
  const double above = sum_of_tail(term(k + 1), trials - count, [&](std::size_t i) {
    const double at = k + 1 + static_cast<double>(i);
    return (n - at) * odds / (at + 1);
  });
  return std::max(0.0, 1 - above);
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

double beta_binomial_cdf(std::size_t count, std::size_t trials, double a, double b) {
  check_positive("the first parameter", a);
  check_positive("the second parameter", b);
  if (count >= trials) return 1;
  const auto n = static_cast<double>(trials);
  double sum = 0;
  double term = std::exp(log_beta(a, n + b) - log_beta(a, b));
  for (std::size_t i = 0; i <= count; ++i) {
    const auto k = static_cast<double>(i);
    // The first terms may be below what a double holds to full precision.
    if (term < 1e-290)
      term = std::exp(log_choose(n, k) + log_beta(k + a, n - k + b) - log_beta(a, b));
    sum += term;
    term *= (n - k) / (k + 1) * (k + a) / (n - k - 1 + b);
  }
  return std::min(1.0, sum);
}

}  // namespace cubcal
