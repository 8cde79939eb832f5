#include "cubcal/metrics/calibration_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/boundary/curve.h"
#include "metrics/predictive_rows.h"

namespace cubcal {
namespace {

using test::facts_of_rows;

// Five bins: c = 0.6 falls on the edge and into (0.4, 0.6], 0.65 and 0.7 into (0.6, 0.8].
const std::vector<std::vector<double>> kRows{{0.6, 0.4}, {0.65, 0.35}, {0.3, 0.7}, {1.0, 0.0}};
const std::vector<std::int64_t> kLabels{1, 0, 0, 0};
const MetricOptions kFiveBins{5, 0.9, 0.325};

TEST(ExpectedCalibrationError, IsTheHandExample) {
  const CalibrationError error =
      expected_calibration_error(facts_of_rows(kRows, kLabels, kFiveBins));
  EXPECT_NEAR(error.value, (0.6 + std::abs(1 - 1.35) + 0.0) / 4, 1e-15);
  ASSERT_EQ(error.bins.size(), 5U);
  EXPECT_EQ(error.bins[0].count, 0);
  EXPECT_EQ(error.bins[0].mean_observed, 0);
  EXPECT_EQ(error.bins[0].mean_target, 0);
  EXPECT_EQ(error.bins[2].count, 1);
  EXPECT_EQ(error.bins[2].mean_observed, 0);
  EXPECT_EQ(error.bins[2].mean_target, 0.6);
  EXPECT_EQ(error.bins[3].count, 2);
  EXPECT_EQ(error.bins[3].mean_observed, 0.5);
  EXPECT_NEAR(error.bins[3].mean_target, 0.675, 1e-15);
  EXPECT_EQ(error.bins[4].count, 1);
  EXPECT_EQ(error.bins[4].mean_observed, 1);
  EXPECT_EQ(error.bins[3].low, 3.0 / 5);
  EXPECT_EQ(error.bins[3].high, 4.0 / 5);
  EXPECT_EQ(error.bins[0].low, 0.0);
  EXPECT_EQ(error.bins[4].high, 1.0);
}

TEST(UncertaintyCalibrationError, BinsOnNormalisedEntropy) {
  const SampleFacts facts = facts_of_rows(kRows, kLabels, kFiveBins);
  const CalibrationError error = uncertainty_calibration_error(facts);
  // u of 0.6, 0.65 and 0.7 all exceed 0.8; u of certainty is 0 and falls into the first bin.
  const double u = (u_min(0.6, 2) + u_min(0.65, 2) + u_min(0.7, 2)) / std::log(2.0);
  EXPECT_NEAR(error.value, std::abs(2 - u) / 4, 1e-15);
  EXPECT_EQ(error.bins[0].count, 1);
  EXPECT_EQ(error.bins[4].count, 3);
}

TEST(BoundaryCurveCalibrationError, VanishesForTwoClasses) {
  EXPECT_NEAR(boundary_curve_calibration_error(facts_of_rows(kRows, kLabels, kFiveBins)).value, 0.0,
              1e-15);
}

TEST(BoundaryCurveCalibrationError, LetsDeviationsCancelWithinABin) {
  // c = 0.92 on U_max instead of U_min, c = 0.82 on U_min instead of U_max.
  const std::vector<std::vector<double>> rows{{0.92, 0.04, 0.04}, {0.82, 0.18, 0.0}};
  const double above = u_max(0.92, 3) - u_min(0.92, 3);
  const double below = u_max(0.82, 3) - u_min(0.82, 3);
  const auto bcce = [&](std::size_t bins) {
    return boundary_curve_calibration_error(facts_of_rows(rows, {0, 0}, {bins, 0.9, 0.325})).value;
  };
  EXPECT_NEAR(bcce(5), std::abs(above - below) / 2, 1e-15);
  EXPECT_NEAR(bcce(10), (above + below) / 2, 1e-15);
}

TEST(CalibrationErrors, CountResampledSamples) {
  const std::vector<std::uint32_t> counts{0, 3, 1, 0};
  const SampleFacts facts = facts_of_rows(kRows, kLabels, kFiveBins);
  const CalibrationError error = expected_calibration_error(facts, SampleCounts(counts));
  EXPECT_NEAR(error.value, std::abs(3 - (3 * 0.65 + 0.7)) / 4, 1e-15);
  EXPECT_EQ(error.bins[2].count, 0);
}

// Weights that are all halves of counts make the same means.
TEST(CalibrationErrors, WeightsAreSharesOfCounts) {
  const std::vector<std::uint32_t> counts{1, 3, 2, 5};
  const std::vector<double> weights{0.5, 1.5, 1, 2.5};
  const SampleFacts facts = facts_of_rows(kRows, kLabels, kFiveBins);
  EXPECT_NEAR(expected_calibration_error(facts, SampleWeights(weights)).value,
              expected_calibration_error(facts, SampleCounts(counts)).value, 1e-15);
  EXPECT_NEAR(uncertainty_calibration_error(facts, SampleWeights(weights)).value,
              uncertainty_calibration_error(facts, SampleCounts(counts)).value, 1e-15);
}

}  // namespace
}  // namespace cubcal
