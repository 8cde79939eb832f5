#include "cubcal/benefit/outcome.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

// 20% have the disease, 15 of 100 patients are found, 10 alarmed for nothing; at pt = 0.2 four
// false alarms weigh as one disease found: 0.15 - 0.10 / 4 = 0.125.
TEST(Worth, IsVickersAndElkinsNetBenefit) {
  const StrategyOutcome outcome{0.05, 0.10, 0, 0};
  EXPECT_NEAR(worth(outcome, 0.2, {}, 0.2), 0.125, 1e-15);
  EXPECT_NEAR(worth(outcome, 0.2, {}, 0.5), 0.15 - 0.10, 1e-15);
  EXPECT_NEAR(worth(outcome, 0.2, {}, 0), 0.15, 1e-15);
}

TEST(Worth, ReferralsArePaidFor) {
  const StrategyOutcome outcome{0.02, 0.04, 0.3, 0.1};
  Prices prices;
  prices.referral = 0.05;
  EXPECT_NEAR(worth(outcome, 0.2, prices, 0.2), 0.18 - 0.01 - 0.05 * 0.4, 1e-15);
  prices.out_of_scope = 0.5;
  EXPECT_NEAR(worth(outcome, 0.2, prices, 0.2), 0.18 - 0.01 - 0.05 * 0.3 - 0.5 * 0.1, 1e-15);
}

TEST(Worth, AtStatedCostsIsTheCostOf1000Patients) {
  const StrategyOutcome outcome{0.02, 0.04, 0.3, 0.1};
  Prices prices;
  prices.miss = 200;
  prices.false_alarm = 10;
  prices.referral = 4;
  EXPECT_NEAR(worth(outcome, 0.2, prices, 0.7), 1000 * (4 + 0.4 + 1.2 + 0.4), 1e-9);
  EXPECT_NEAR(cheapest_threshold(prices), 10.0 / 210, 1e-15);
}

// cost = 1000 miss (pi - NB) where NB has the same prices in the unit of a miss.
TEST(Worth, LeastCostIsMostNetBenefit) {
  const StrategyOutcome outcome{0.03, 0.07, 0.2, 0.05};
  Prices stated;
  stated.miss = 80;
  stated.false_alarm = 20;
  stated.referral = 8;
  const double pt = cheapest_threshold(stated);
  Prices relative;
  relative.referral = 0.1;
  const double benefit = worth(outcome, 0.25, relative, pt);
  EXPECT_NEAR(worth(outcome, 0.25, stated, pt), 1000 * 80 * (0.25 - benefit), 1e-9);
}

TEST(Prices, AreChecked) {
  Prices prices;
  prices.referral = -0.1;
  test::expect_error<ArgumentError>([&] { check_prices(prices); },
                                    "the cost of a referral must be at least 0, not -0.1");
  prices.referral = std::nan("");
  test::expect_error<ArgumentError>([&] { check_prices(prices); }, "must be a finite number");
  prices = {};
  prices.miss = 2;
  test::expect_error<ArgumentError>([&] { check_prices(prices); }, "a miss costs 1");
  prices.miss = 0;
  test::expect_error<ArgumentError>([&] { check_prices(prices); }, "the cost of a miss");
}

}  // namespace
}  // namespace cubcal
