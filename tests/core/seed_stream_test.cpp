#include "cubcal/core/seed_stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cubcal {
namespace {

TEST(SeedStream, DependsOnSeedAndStreamAlone) {
  SeedStream first(7, 3);
  SeedStream again(7, 3);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(first.next_u64(), again.next_u64());
  EXPECT_NE(SeedStream(7, 3).next_u64(), SeedStream(8, 3).next_u64());
  EXPECT_NE(SeedStream(7, 3).next_u64(), SeedStream(7, 4).next_u64());
  // Both halves of seed and stream count.
  EXPECT_NE(SeedStream(7, 3).next_u64(), SeedStream(7 + (1ULL << 32), 3).next_u64());
  EXPECT_NE(SeedStream(7, 3).next_u64(), SeedStream(7, 3 + (1ULL << 32)).next_u64());
}

TEST(SeedStream, IsPhiloxWithTheSeedAsKey) {
  const auto block = philox4x32({1, 0, 3, 0}, {7, 0});
  SeedStream stream(7, 3);
  for (int i = 0; i < 4; ++i) stream.next_u32();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(stream.next_u32(), block[static_cast<std::size_t>(i)]);
}

TEST(SeedStream, UniformLiesInTheHalfOpenUnitInterval) {
  SeedStream stream(1, 2);
  double sum = 0.0;
  constexpr int draws = 100000;
  for (int i = 0; i < draws; ++i) {
    const double u = stream.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
  }
  EXPECT_NEAR(sum / draws, 0.5, 5.0 / std::sqrt(12.0 * draws));
}

/// Pearson's statistic of `draws` values below `bound`, in standard deviations from its mean.
double chi_square_deviation(std::uint32_t bound, int draws) {
  SeedStream stream(11, bound);
  std::vector<double> count(bound, 0.0);
  for (int i = 0; i < draws; ++i) {
    const std::uint32_t value = stream.below(bound);
    EXPECT_LT(value, bound);
    if (value < bound) count[value] += 1.0;
  }
  const double expected = static_cast<double>(draws) / bound;
  double statistic = 0.0;
  for (const double n : count) statistic += (n - expected) * (n - expected) / expected;
  const double freedom = bound - 1.0;
  return (statistic - freedom) / std::sqrt(2.0 * freedom);
}

TEST(SeedStream, BelowIsEven) {
  for (const std::uint32_t bound : {2U, 3U, 7U, 100U, 1000U}) {
    EXPECT_LT(std::abs(chi_square_deviation(bound, 200000)), 4.5) << bound;
  }
  EXPECT_EQ(SeedStream(1, 1).below(1), 0U);
}

// Without rejection a bound of 3/4 of 2^32 would give the multiples of 3 twice the share of the
// others: 1/2 instead of 1/3.
TEST(SeedStream, BelowIsUnbiasedForLargeBounds) {
  constexpr std::uint32_t bound = 3U << 30;
  SeedStream stream(5, 5);
  constexpr int draws = 30000;
  int multiples = 0;
  for (int i = 0; i < draws; ++i) {
    const std::uint32_t value = stream.below(bound);
    ASSERT_LT(value, bound);
    if (value % 3 == 0) ++multiples;
  }
  EXPECT_NEAR(static_cast<double>(multiples) / draws, 1.0 / 3.0, 0.015);
}

TEST(SeedStream, NormalHasTheMomentsOfTheNormalDistribution) {
  SeedStream stream(3, 9);
  constexpr int draws = 200000;
  double moment[5] = {0, 0, 0, 0, 0};
  int beyond = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = stream.normal();
    ASSERT_TRUE(std::isfinite(x));
    for (int power = 1; power < 5; ++power) moment[power] += std::pow(x, power) / draws;
    if (std::abs(x) > 1.959963985) ++beyond;
  }
  const double unit = 5.0 / std::sqrt(static_cast<double>(draws));
  EXPECT_NEAR(moment[1], 0.0, unit);
  EXPECT_NEAR(moment[2], 1.0, unit * std::sqrt(2.0));
  EXPECT_NEAR(moment[3], 0.0, unit * std::sqrt(15.0));
  EXPECT_NEAR(moment[4], 3.0, unit * std::sqrt(96.0));
  EXPECT_NEAR(static_cast<double>(beyond) / draws, 0.05, unit * std::sqrt(0.05 * 0.95));
}

}  // namespace
}  // namespace cubcal
