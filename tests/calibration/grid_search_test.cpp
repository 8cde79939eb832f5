#include "cubcal/calibration/grid_search.h"

#include <gtest/gtest.h>

namespace cubcal {
namespace {

TEST(BestTemperature, IsTheSmallestObjective) {
  EXPECT_EQ(best_temperature({0.5, 1.0, 2.0}, {0.3, 0.2, 0.1}), 2.0);
}

TEST(BestTemperature, GivesTiesToTheNearestToOne) {
  EXPECT_EQ(best_temperature({0.25, 0.5, 3.0}, {0.1, 0.1, 0.1}), 0.5);
  EXPECT_EQ(best_temperature({0.5, 1.0, 2.0}, {0.1, 0.1 + 1e-13, 0.1}), 1.0);
  EXPECT_EQ(best_temperature({0.5, 1.0, 2.0}, {0.1, 0.1 + 1e-11, 0.2}), 0.5);
}

TEST(BcceAlong, AddsAbsoluteBinSums) {
  const TemperatureCurve curve{2, {1.0, 2.0}, {0.5, -1.5, 0.25, 0.0}, {}};
  EXPECT_EQ(bcce_along(curve, 4), (std::vector<double>{0.5, 0.0625}));
}

// Two temperatures a side, two bins; the deviations of one pair cancel.
const TemperatureCurve kHigh{2, {1.0, 0.5}, {1.0, 0.0, 0.5, -0.5}, {1.0, 3.0}};
const TemperatureCurve kLow{2, {1.0, 2.0}, {1.0, 1.0, -0.5, 0.5}, {1.0, 2.0}};

TEST(BestPair, AddsTheTwoRegionsBeforeTheAbsoluteValue) {
  const auto best = best_pair(kHigh, kLow, 2, std::nullopt);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->t_high, 0.5);
  EXPECT_EQ(best->t_low, 2.0);
  EXPECT_EQ(best->bcce, 0.0);
}

TEST(BestPair, KeepsTheBoundOnNll) {
  const auto best = best_pair(kHigh, kLow, 2, 4.5);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->t_high, 1.0);
  EXPECT_EQ(best->t_low, 2.0);
  EXPECT_EQ(best->bcce, 0.5);
  EXPECT_EQ(best_pair(kHigh, kLow, 2, 5.0)->bcce, 0.0);
  EXPECT_FALSE(best_pair(kHigh, kLow, 2, 1.9).has_value());
}

TEST(BestPair, GivesTiesToTheNearestToOne) {
  const TemperatureCurve flat_high{1, {0.25, 0.5, 0.9}, {0, 0, 0}, {}};
  const TemperatureCurve flat_low{1, {4.0, 1.25, 2.0}, {1, 1, 1}, {}};
  const auto best = best_pair(flat_high, flat_low, 1, std::nullopt);
  ASSERT_TRUE(best.has_value());
  EXPECT_EQ(best->t_high, 0.9);
  EXPECT_EQ(best->t_low, 1.25);
}

}  // namespace
}  // namespace cubcal
