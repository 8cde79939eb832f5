#include "cubcal/conformal/set_summary.h"

#include <gtest/gtest.h>

#include "cubcal/metrics/binomial.h"

namespace cubcal {
namespace {

TEST(SetSummary, CountsSizesAndCoverage) {
  const std::vector<std::uint8_t> sets{1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 1};
  const std::vector<std::int64_t> labels{0, 1, 1, 2, 0};
  const SetSummary all = summarise_sets("all", sets, 3, labels, {0, 1, 2, 3, 4}, 0.95);
  EXPECT_EQ(all.by_size, (std::vector<std::size_t>{1, 2, 2, 0}));
  EXPECT_EQ(all.mean_size(), 1.2);
  EXPECT_EQ(all.covered.count, 2U);
  EXPECT_EQ(all.covered.share(), 0.4);
  EXPECT_EQ(all.covered.low, lower_bound_of_share(2, 5, 0.975));
  EXPECT_EQ(all.covered.high, upper_bound_of_share(2, 5, 0.975));
  EXPECT_EQ(all.single_right.of, 2U);
  EXPECT_EQ(all.single_right.count, 1U);
}

TEST(SetSummary, OfNoSamplesNothingIsKnown) {
  const SetSummary none = summarise_sets("none", {}, 3, {}, {}, 0.95);
  EXPECT_FALSE(none.mean_size());
  EXPECT_FALSE(none.covered.share());
  const CountedShare share = counted_share(0, 0, 0.95);
  EXPECT_EQ(share.low, 0);
  EXPECT_EQ(share.high, 1);
}

// With many calibration samples the coverage is known, and the beta-binomial is a binomial.
TEST(CoverageForecast, NarrowsToABinomial) {
  const CoverageForecast forecast(10'000'000, 0.1, 50);
  for (const std::size_t covered : {30U, 40U, 45U, 49U}) {
    EXPECT_NEAR(forecast.at_most(covered), binomial_cdf(covered, 50, 0.9), 1e-4);
  }
  EXPECT_EQ(forecast.at_most(50), 1);
}

TEST(CoverageForecast, OfOneSampleIsTheRank) {
  const CoverageForecast forecast(99, 0.1, 1);
  EXPECT_NEAR(forecast.at_most(0), 0.1, 1e-12);
}

TEST(CoverageForecast, WithoutAThresholdAllAreCovered) {
  const CoverageForecast forecast(3, 0.1, 20);
  EXPECT_EQ(forecast.at_most(19), 0);
  EXPECT_EQ(forecast.low(0.95), 20U);
  EXPECT_EQ(forecast.high(0.95), 20U);
}

}  // namespace
}  // namespace cubcal
