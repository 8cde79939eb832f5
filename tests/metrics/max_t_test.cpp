#include "cubcal/metrics/max_t.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/seed_stream.h"

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

TEST(MaxT, WhatNeverVariesIsNoFindingAndWhatIsUndefinedCountsAgainstItself) {
  Rows permuted(19, {0.25, std::nullopt});
  const auto found = max_t_p_values({0.25, 3}, permuted);
  EXPECT_EQ(found[0].p, 1);
  EXPECT_EQ(found[1].p, 1);
  EXPECT_EQ(found[1].corrected, 1);
}

TEST(MaxT, WhatIsUndefinedInSomePermutationsIsNoFloorUnderTheOthers) {
  Rows permuted;
  for (int b = 0; b < 99; ++b) {
    const std::optional<double> rare = b % 5 == 0 ? std::nullopt : std::optional<double>(b % 7);
    permuted.push_back({std::sin(b), rare});
  }
  const auto found = max_t_p_values({9, 40}, permuted);
  EXPECT_EQ(found[0].corrected, 0.01);
  EXPECT_EQ(found[1].p, 0.21);  // 20 of 99 against itself, and the observed one
  EXPECT_EQ(found[1].corrected, 0.21);
}

TEST(MaxT, WhatIsUndefinedAmongTheObservedTakesPartInPermutations) {
  Rows permuted;
  for (int b = 0; b < 19; ++b) permuted.push_back({b % 2 - 0.5, b == 3 ? 100.0 : 0.1 * (b % 2)});
  const auto found = max_t_p_values({0.9, std::nullopt}, permuted);
  EXPECT_EQ(found[0].p, 0.05);
  EXPECT_EQ(found[0].corrected, 0.1);  // permutation 3 has a larger one
  EXPECT_EQ(found[1].p, 1);
  EXPECT_EQ(found[1].corrected, 1);
}

/// Over samples of a group of 12 and of the rest: how x differs on average, and how it does among
/// the few that are marked, which is undefined where either side has none.
std::vector<std::optional<double>> differences(const std::vector<double>& x,
                                               const std::vector<bool>& is_marked,
                                               const std::vector<std::size_t>& order) {
  double sum[2][2] = {};
  double count[2][2] = {};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int side = i < 12 ? 0 : 1;
    for (const int kind : {0, 1}) {
      if (kind == 1 && !is_marked[order[i]]) continue;
      sum[kind][side] += x[order[i]];
      count[kind][side] += 1;
    }
  }
  std::vector<std::optional<double>> found(2);
  for (const int kind : {0, 1}) {
    if (count[kind][0] == 0 || count[kind][1] == 0) continue;
    found[kind] = sum[kind][0] / count[kind][0] - sum[kind][1] / count[kind][1];
  }
  return found;
}

struct Shuffled {
  std::vector<std::optional<double>> observed;
  Rows permuted;
};

Shuffled shuffled_differences(std::uint64_t seed, double gap) {
  SeedStream stream(seed, 0);
  std::vector<double> x;
  std::vector<bool> is_marked;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < 60; ++i) {
    x.push_back(stream.uniform() + (i < 12 ? gap : 0));
    is_marked.push_back(stream.uniform() < 0.1);
    order.push_back(i);
  }
  Shuffled made;
  made.observed = differences(x, is_marked, order);
  for (int b = 0; b < 39; ++b) {
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[stream.below(static_cast<std::uint32_t>(i))]);
    made.permuted.push_back(differences(x, is_marked, order));
  }
  return made;
}

// Undefined in about three of ten shuffles: under no difference any finding is as rare as asked
// for, and the gap that is there is found all the same.
TEST(MaxT, AnyFindingIsAsRareAsAskedForWhereSomeAreUndefined) {
  constexpr int kSimulations = 2000;
  int alarms = 0;
  int undefined = 0;
  int found = 0;
  for (int s = 0; s < kSimulations; ++s) {
    const auto seed = static_cast<std::uint64_t>(s);
    const Shuffled none = shuffled_differences(seed, 0);
    undefined += none.observed[1] ? 0 : 1;
    bool is_alarm = false;
    for (const PermutationP& each : max_t_p_values(none.observed, none.permuted)) {
      is_alarm = is_alarm || each.corrected <= 0.05;
    }
    alarms += is_alarm ? 1 : 0;
    const Shuffled some = shuffled_differences(seed, 0.8);
    found += max_t_p_values(some.observed, some.permuted)[0].corrected <= 0.05 ? 1 : 0;
  }
  const double rate = static_cast<double>(alarms) / kSimulations;
  RecordProperty("false_alarm_rate", std::to_string(rate));
  EXPECT_GT(undefined, kSimulations / 5);
  EXPECT_LE(rate, 0.05 + 3 * std::sqrt(0.05 * 0.95 / kSimulations));
  EXPECT_GT(rate, 0.02);
  EXPECT_GT(found, kSimulations * 99 / 100);
}

}  // namespace
}  // namespace cubcal
