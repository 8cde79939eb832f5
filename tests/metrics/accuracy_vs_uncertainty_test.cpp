#include "cubcal/metrics/accuracy_vs_uncertainty.h"

#include <gtest/gtest.h>

#include "metrics/predictive_rows.h"

namespace cubcal {
namespace {

using test::facts_of_answers;

TEST(AvuCounts, CountsTheThresholdItselfAsCertain) {
  const SampleFacts facts =
      facts_of_answers({0.325, 0.326, 0.1, 0.2, 0.5, 0.6}, {1, 1, 0, 1, 0, 0});
  const AvuCounts counts = avu_counts(facts);
  EXPECT_EQ(counts.accurate_certain, 2);
  EXPECT_EQ(counts.accurate_uncertain, 1);
  EXPECT_EQ(counts.inaccurate_certain, 1);
  EXPECT_EQ(counts.inaccurate_uncertain, 2);
  EXPECT_NEAR(counts.avu(), 4.0 / 6, 1e-15);
}

TEST(AvuCurve, IsTheHandExample) {
  // Between U = 0 and U = 0.6 a threshold every 0.03.
  const std::vector<AvuPoint> curve = avu_curve(facts_of_answers({0.0, 0.31, 0.6}, {1, 0, 1}));
  ASSERT_EQ(curve.size(), 21U);
  EXPECT_EQ(curve[0].t, 0.0);
  EXPECT_EQ(curve[0].threshold, 0.0);
  EXPECT_EQ(curve[20].t, 1.0);
  EXPECT_EQ(curve[20].threshold, 0.6);
  for (std::size_t i = 0; i <= 10; ++i) EXPECT_NEAR(curve[i].avu, 2.0 / 3, 1e-15) << i;
  for (std::size_t i = 11; i <= 19; ++i) EXPECT_NEAR(curve[i].avu, 1.0 / 3, 1e-15) << i;
  EXPECT_NEAR(curve[20].avu, 2.0 / 3, 1e-15);
  EXPECT_NEAR(avu_area(curve), (10 * 2.0 / 3 + 0.5 + 8 * 1.0 / 3 + 0.5) / 20, 1e-14);
}

TEST(AvuCurve, IsFlatForOneSample) {
  for (const int correct : {0, 1}) {
    const std::vector<AvuPoint> curve = avu_curve(facts_of_answers({0.4}, {correct}));
    ASSERT_EQ(curve.size(), 21U);
    for (const AvuPoint& point : curve) {
      EXPECT_EQ(point.threshold, 0.4);
      EXPECT_EQ(point.avu, correct);
    }
    EXPECT_NEAR(avu_area(curve), correct, 1e-15);
  }
}

TEST(AvuCurve, IsFlatWhenAllAreEquallyUncertain) {
  const std::vector<AvuPoint> curve =
      avu_curve(facts_of_answers({0.3, 0.3, 0.3, 0.3}, {1, 0, 1, 1}));
  for (const AvuPoint& point : curve) EXPECT_EQ(point.avu, 0.75);
}

TEST(AvuCurve, EndsAtTheAccuracy) {
  // 0.05 + (0.21 - 0.05) is below 0.21 in floating point: the last sample counts nevertheless.
  const std::vector<AvuPoint> curve = avu_curve(facts_of_answers({0.05, 0.1, 0.21}, {0, 1, 1}));
  EXPECT_NEAR(curve.back().avu, 2.0 / 3, 1e-15);
}

TEST(AvuCurve, SpansTheSamplesThatWereDrawn) {
  const std::vector<std::uint32_t> counts{0, 2, 1, 0};
  const std::vector<AvuPoint> curve =
      avu_curve(facts_of_answers({0.1, 0.2, 0.4, 0.9}, {1, 1, 0, 1}), SampleCounts(counts));
  EXPECT_EQ(curve.front().threshold, 0.2);
  EXPECT_EQ(curve.back().threshold, 0.4);
  EXPECT_EQ(curve.front().avu, 1.0);
  EXPECT_NEAR(curve.back().avu, 2.0 / 3, 1e-15);
}

TEST(UncertaintySeparation, IsUndefinedWithoutBothKindsOfAnswers) {
  const auto both = uncertainty_separation(facts_of_answers({0.1, 0.3, 0.5}, {1, 1, 0}));
  EXPECT_NEAR(both.correct.value(), 0.2, 1e-15);
  EXPECT_NEAR(both.incorrect.value(), 0.5, 1e-15);
  EXPECT_NEAR(both.delta.value(), 0.3, 1e-15);
  const auto right = uncertainty_separation(facts_of_answers({0.1, 0.3}, {1, 1}));
  EXPECT_NEAR(right.correct.value(), 0.2, 1e-15);
  EXPECT_FALSE(right.incorrect.has_value());
  EXPECT_FALSE(right.delta.has_value());
  const auto wrong = uncertainty_separation(facts_of_answers({0.1, 0.3}, {0, 0}));
  EXPECT_FALSE(wrong.correct.has_value());
  EXPECT_NEAR(wrong.incorrect.value(), 0.2, 1e-15);
  EXPECT_FALSE(wrong.delta.has_value());
}

}  // namespace
}  // namespace cubcal
