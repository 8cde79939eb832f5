#include "cubcal/metrics/binomial.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cubcal {
namespace {

/// Pascal's triangle, term by term.
double brute_cdf(std::size_t count, std::size_t trials, double p) {
  double sum = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    double term = 1;
    for (std::size_t j = 0; j < i; ++j) {
      term *= static_cast<double>(trials - j) / static_cast<double>(j + 1) * p;
    }
    for (std::size_t j = i; j < trials; ++j) term *= 1 - p;
    sum += term;
  }
  return sum;
}

TEST(Binomial, CdfIsTheSumOfItsTerms) {
  for (const std::size_t trials : {1U, 7U, 40U}) {
    for (const double p : {0.01, 0.3, 0.5, 0.97}) {
      for (std::size_t count = 0; count < trials; ++count) {
        EXPECT_NEAR(binomial_cdf(count, trials, p), brute_cdf(count, trials, p), 1e-12);
      }
    }
  }
  EXPECT_EQ(binomial_cdf(5, 5, 0.3), 1);
  EXPECT_EQ(binomial_cdf(0, 5, 0), 1);
  EXPECT_EQ(binomial_cdf(4, 5, 1), 0);
}

// From tables: Clopper and Pearson's 95% interval of 8 in 10.
TEST(Binomial, BoundsOfAShare) {
  EXPECT_NEAR(lower_bound_of_share(8, 10, 0.975), 0.4439, 5e-5);
  EXPECT_NEAR(upper_bound_of_share(8, 10, 0.975), 0.9748, 5e-5);
  EXPECT_NEAR(upper_bound_of_share(0, 100, 0.95), 1 - std::pow(0.05, 0.01), 1e-12);
  EXPECT_EQ(lower_bound_of_share(0, 10, 0.975), 0);
  EXPECT_EQ(upper_bound_of_share(0, 0, 0.975), 1);
}

// Beta(1, 1) makes every count equally likely; Beta(a, 1) has a closed form.
TEST(Binomial, BetaBinomialOfKnownForms) {
  for (std::size_t count = 0; count <= 20; ++count) {
    EXPECT_NEAR(beta_binomial_cdf(count, 20, 1, 1), static_cast<double>(count + 1) / 21, 1e-12);
  }
  EXPECT_NEAR(beta_binomial_cdf(0, 1, 9, 1), 0.1, 1e-12);
  // E X = n a / (a + b), as the sum of P(X > k).
  double mean = 0;
  for (std::size_t k = 0; k < 3000; ++k) mean += 1 - beta_binomial_cdf(k, 3000, 901, 100);
  EXPECT_NEAR(mean, 3000 * 901 / 1001.0, 1e-6);
}

}  // namespace
}  // namespace cubcal
