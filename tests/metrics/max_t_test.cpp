#include "cubcal/metrics/max_t.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cubcal {
namespace {

using Rows = std::vector<std::vector<std::optional<double>>>;

TEST(MaxT, CopiesOfOneStatisticCostNothing) {
  Rows one;
  Rows three;
  for (int b = 0; b < 99; ++b) {
    const double value = b % 10 - 4.5;
    one.push_back({value});
    three.push_back({value, 2 * value, -value});
  }
  const auto alone = max_t_p_values({7}, one);
  const auto among = max_t_p_values({7, 14, -7}, three);
  EXPECT_EQ(alone[0].p, 0.01);
  EXPECT_EQ(alone[0].corrected, 0.01);
  for (const PermutationP& each : among) EXPECT_EQ(each.corrected, alone[0].corrected);
}

TEST(MaxT, CorrectedIsNeverBelowTheSingleOne) {
  Rows permuted;
  for (int b = 0; b < 40; ++b) permuted.push_back({std::sin(b), std::cos(3 * b), std::sin(5 * b)});
  for (const PermutationP& each : max_t_p_values({0.9, 0.1, -0.95}, permuted)) {
    EXPECT_GE(each.corrected, each.p);
    EXPECT_GE(each.p, 1.0 / 41);
    EXPECT_LE(each.corrected, 1);
  }
}

TEST(MaxT, WhatNeverVariesIsNoFindingAndWhatIsUndefinedCountsAsLargest) {
  Rows permuted(19, {0.25, std::nullopt});
  const auto found = max_t_p_values({0.25, 3}, permuted);
  EXPECT_EQ(found[0].p, 1);
  EXPECT_EQ(found[1].p, 1);
  EXPECT_EQ(found[1].corrected, 1);
}

}  // namespace
}  // namespace cubcal
