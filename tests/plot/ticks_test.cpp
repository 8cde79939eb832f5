#include "cubcal/plot/ticks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace cubcal::plot {
namespace {

using Labels = std::vector<std::string>;

TEST(NiceTicks, KnownCases) {
  EXPECT_EQ(nice_ticks(0, 1, 5).labels, (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(nice_ticks(1.0 / 3, 1, 7).labels,
            (Labels{"0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"}));
  EXPECT_EQ(nice_ticks(-10, 10, 4).labels, (Labels{"\u221210", "\u22125", "0", "5", "10"}));
  EXPECT_EQ(nice_ticks(0, 3e6, 3).labels, (Labels{"0", "1e+06", "2e+06", "3e+06"}));
}

TEST(NiceTicks, AreEvenlySpacedInsideTheAxisAndToldApart) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-12, 12);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  for (int trial = 0; trial < 2000; ++trial) {
    const double low = mantissa(random) * std::pow(10, exponent(random));
    const double high = low + (1e-6 + std::abs(mantissa(random))) * std::max(std::abs(low), 1e-9);
    const int target = 2 + trial % 9;
    const Ticks ticks = nice_ticks(low, high, target);
    ASSERT_EQ(ticks.values.size(), ticks.labels.size());
    ASSERT_GE(ticks.values.size(), 1U) << low << " " << high;
    ASSERT_LE(ticks.values.size(), static_cast<std::size_t>(target) + 1) << low << " " << high;
    EXPECT_EQ(std::set<std::string>(ticks.labels.begin(), ticks.labels.end()).size(),
              ticks.labels.size())
        << low << " " << high;
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
      EXPECT_GE(ticks.values[i], low);
      EXPECT_LE(ticks.values[i], high);
      std::string label = ticks.labels[i];
      const bool negative = label.rfind("\u2212", 0) == 0;
      if (negative) label.erase(0, 3);
      EXPECT_NEAR(negative ? -std::stod(label) : std::stod(label), ticks.values[i],
                  1e-6 * (high - low));
      if (i < 2) continue;
      EXPECT_NEAR(ticks.values[i] - ticks.values[i - 1], ticks.values[1] - ticks.values[0],
                  1e-6 * (high - low));
    }
  }
}

TEST(NiceTicks, EndWhereNumbersDo) {
  EXPECT_LE(nice_ticks(1e16, 1e16 + 4, 5).values.size(), 6U);
  EXPECT_LE(nice_ticks(-1e308, 1e308, 5).values.size(), 6U);
  EXPECT_LE(nice_ticks(0, 5e-324, 5).values.size(), 6U);
}

TEST(NiceRange, HoldsTheRangeAndEndsOnTicks) {
  const Range range = nice_range({0.13, 0.92}, 5);
  EXPECT_EQ(range.low, 0.0);
  EXPECT_EQ(range.high, 1.0);
  const Range exact = nice_range({0.2, 0.8}, 6);
  EXPECT_EQ(exact.low, 0.2);
  EXPECT_EQ(exact.high, 0.8);
}

TEST(NiceRange, WidensASinglePoint) {
  for (const double value : {0.0, 3.0, -2e-5, 1e9}) {
    const Range range = nice_range({value, value}, 5);
    EXPECT_LT(range.low, range.high);
    EXPECT_LE(range.low, value);
    EXPECT_GE(range.high, value);
  }
}

}  // namespace
}  // namespace cubcal::plot
