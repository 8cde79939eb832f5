#include "cubcal/calibration/nll_descent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/metrics/classification.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::LogitSet;
using test::LogitShape;
using test::random_logits;
using test::Threads;

double nll_of(const LogitSet& set, double temperature) {
  const Predictive predictive = predict(set.view(), std::vector<double>{temperature});
  return negative_log_likelihood(sample_facts(predictive, set.labels, {}));
}

TEST(NllSlope, EqualsDifferencesOfTheMetric) {
  LogitShape shape;
  shape.samples = 333;
  shape.classes = 5;
  const LogitSet set = random_logits(shape, 1);
  for (const double beta : {0.3, 0.8, 1.0, 2.5}) {
    const NllSlope slope = nll_slope(set.view(), set.labels, beta);
    constexpr double step = 1e-4;
    const double below = nll_of(set, 1 / (beta - step));
    const double at = nll_of(set, 1 / beta);
    const double above = nll_of(set, 1 / (beta + step));
    EXPECT_NEAR(slope.value, at, 1e-12);
    EXPECT_NEAR(slope.first, (above - below) / (2 * step), 1e-6);
    EXPECT_NEAR(slope.second, (above - 2 * at + below) / (step * step), 1e-5);
  }
}

TEST(NllSlope, IgnoresSamplesBelowTheFloor) {
  LogitSet set = random_logits({}, 2);
  for (std::size_t s = 0; s < set.passes; ++s) {
    for (std::size_t k = 0; k < set.classes; ++k) set.at(s, 0, k) = k == 0 ? 1000 : 0;
  }
  set.labels[0] = 1;
  const NllSlope slope = nll_slope(set.view(), set.labels, 1.0);
  EXPECT_NEAR(slope.value, nll_of(set, 1.0), 1e-12);
  EXPECT_TRUE(std::isfinite(slope.first) && std::isfinite(slope.second));
}

TEST(NllSlope, GivesTheSameBitsOnAnyNumberOfThreads) {
  LogitShape shape;
  shape.samples = 5000;
  const LogitSet set = random_logits(shape, 3);
  const auto with = [&](std::size_t threads) {
    const Threads scope(threads);
    return nll_slope(set.view(), set.labels, 0.9).second;
  };
  EXPECT_EQ(with(1), with(3));
}

TEST(NllDescent, EndsWhereNllRisesOnBothSides) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const LogitSet set = random_logits({}, seed);
    const double t = descend_nll(set.view(), set.labels, 1.2, {0.05, 50});
    EXPECT_LT(nll_of(set, t), nll_of(set, t * 1.001)) << seed;
    EXPECT_LT(nll_of(set, t), nll_of(set, t / 1.001)) << seed;
  }
}

TEST(NllDescent, StaysInItsBox) {
  const LogitSet set = random_logits({}, 4);
  const double t = descend_nll(set.view(), set.labels, 1.2, {0.05, 50});
  const double bound = t > 1 ? descend_nll(set.view(), set.labels, 1.0, {0.9, 1.01})
                             : descend_nll(set.view(), set.labels, 1.0, {0.99, 1.1});
  EXPECT_NEAR(bound, t > 1 ? 1.01 : 0.99, 1e-12);
}

}  // namespace
}  // namespace cubcal
