#include "cubcal/metrics/operating_point.h"

#include <gtest/gtest.h>

#include "cubcal/core/seed_stream.h"
#include "expect_error.h"

namespace cubcal {
namespace {

struct Scored {
  std::vector<double> scores;
  std::vector<std::uint8_t> positive;
};

PointCounts point_of(const Scored& made, const OperatingRule& rule) {
  const RankedScores ranked = rank_scores(made.scores, made.positive);
  return point_by_score(ranked, RankedCounts(ranked.size(), 1), rule);
}

/// Scores in tenths, so that there are ties.
Scored tied_scores(std::uint64_t seed) {
  SeedStream stream(seed, 0);
  Scored made;
  for (int i = 0; i < 80; ++i) {
    made.positive.push_back(stream.uniform() < 0.3 ? 1 : 0);
    made.scores.push_back(std::min(10U, stream.below(8) + made.positive.back() * stream.below(4)) /
                          10.0);
  }
  return made;
}

PointCounts counted_at(const Scored& made, double threshold) {
  PointCounts counts;
  for (std::size_t i = 0; i < made.scores.size(); ++i) {
    const bool found = made.scores[i] >= threshold;
    (made.positive[i] != 0 ? counts.positives : counts.negatives) += 1;
    if (found) (made.positive[i] != 0 ? counts.found : counts.false_alarms) += 1;
  }
  return counts;
}

// Against all thresholds there are, one by one.
TEST(OperatingPoint, IsTheBestOfAllThresholds) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Scored made = tied_scores(seed);
    for (const double level : {0.05, 0.5, 0.8, 0.95, 1.0}) {
      std::optional<double> highest;
      std::optional<double> lowest;
      for (const double threshold : made.scores) {
        const PointCounts at = counted_at(made, threshold);
        if (at.found >= level * at.positives - 1e-9) {
          highest = std::max(highest.value_or(0), threshold);
        }
        if (at.negatives - at.false_alarms >= level * at.negatives - 1e-9) {
          lowest = std::min(lowest.value_or(2), threshold);
        }
      }
      const PointCounts sensitive = point_of(made, {PointRule::kSensitivity, level});
      EXPECT_EQ(sensitive.threshold, highest);
      EXPECT_EQ(sensitive.found, counted_at(made, *highest).found);
      EXPECT_EQ(sensitive.false_alarms, counted_at(made, *highest).false_alarms);
      const PointCounts specific = point_of(made, {PointRule::kSpecificity, level});
      EXPECT_EQ(specific.threshold, lowest);
      EXPECT_EQ(specific.found, lowest ? counted_at(made, *lowest).found : 0);
      const PointCounts fixed = point_of(made, {PointRule::kThreshold, level});
      EXPECT_EQ(fixed.found, counted_at(made, level).found);
      EXPECT_EQ(fixed.false_alarms, counted_at(made, level).false_alarms);
      EXPECT_EQ(fixed.threshold, level);
    }
  }
}

TEST(OperatingPoint, PredictiveValuesAtAPrevalence) {
  PointCounts counts;
  counts.found = 90;
  counts.positives = 100;
  counts.false_alarms = 20;
  counts.negatives = 200;
  const PointValues<double> own = point_values(counts, std::nullopt);
  EXPECT_EQ(own, (PointValues<double>{std::nullopt, 0.9, 0.9, 90.0 / 110, 180.0 / 190}));
  // At the samples' own share Bayes' rule gives the same.
  const PointValues<double> same = point_values(counts, 1.0 / 3);
  EXPECT_NEAR(*same[3], *own[3], 1e-12);
  EXPECT_NEAR(*same[4], *own[4], 1e-12);
  const PointValues<double> rare = point_values(counts, 0.01);
  EXPECT_NEAR(*rare[3], 0.009 / (0.009 + 0.099), 1e-12);
  EXPECT_NEAR(*rare[4], 0.891 / (0.891 + 0.001), 1e-12);
  EXPECT_EQ(point_values(counts, 0.0)[3], 0.0);
  EXPECT_EQ(point_values(counts, 1.0)[4], 0.0);
}

TEST(OperatingPoint, UndefinedWithoutSamples) {
  const Scored no_positive{{0.2, 0.9}, {0, 0}};
  for (const std::optional<double>& value :
       point_values(point_of(no_positive, {PointRule::kSensitivity, 0.9}), {})) {
    EXPECT_FALSE(value);
  }
  const PointValues<double> fixed =
      point_values(point_of(no_positive, {PointRule::kThreshold, 0.5}), {});
  EXPECT_EQ(fixed, (PointValues<double>{0.5, std::nullopt, 0.5, 0.0, 1.0}));
  // A negative sample on top: at a specificity of 1 nothing may be found.
  const PointValues<double> none =
      point_values(point_of({{0.9, 0.2}, {0, 1}}, {PointRule::kSpecificity, 1}), {});
  EXPECT_EQ(none, (PointValues<double>{std::nullopt, 0.0, 1.0, std::nullopt, 0.5}));
}

TEST(OperatingPoint, RefusesLevelsOutsideTheirDomain) {
  test::expect_error<ArgumentError>(
      [] {
        check_operating_rule({PointRule::kThreshold, 1.5});
      },
      "the threshold");
  test::expect_error<ArgumentError>(
      [] {
        check_operating_rule({PointRule::kSensitivity, 0});
      },
      "the sensitivity wanted");
  test::expect_error<ArgumentError>(
      [] {
        check_operating_rule({PointRule::kSpecificity, -0.1});
      },
      "the specificity wanted");
}

}  // namespace
}  // namespace cubcal
