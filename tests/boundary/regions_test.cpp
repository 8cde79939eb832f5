#include "cubcal/boundary/regions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "boundary/random_simplex.h"
#include "cubcal/boundary/curve.h"
#include "cubcal/core/error.h"
#include "cubcal/uncertainty/predictive.h"
#include "expect_error.h"

namespace cubcal {
namespace {

TEST(LossRegions, CountConfidenceAtGammaAsUncertain) {
  EXPECT_EQ(loss_region(true, 0.91, 0.9), LossRegion::kAccurateCertain);
  EXPECT_EQ(loss_region(true, 0.9, 0.9), LossRegion::kAccurateUncertain);
  EXPECT_EQ(loss_region(false, 0.91, 0.9), LossRegion::kInaccurateCertain);
  EXPECT_EQ(loss_region(false, 0.9, 0.9), LossRegion::kInaccurateUncertain);
}

TEST(ScalingRegions, FollowTheirDefinitionAtEveryEdge) {
  const Thresholds t = paper_thresholds();
  EXPECT_EQ(scaling_region(0.95, 0.6, t), ScalingRegion::kSharpen);
  EXPECT_EQ(scaling_region(0.923, 0.32, t), ScalingRegion::kSharpen);
  EXPECT_EQ(scaling_region(0.923, 0.325, t), ScalingRegion::kSoften);
  EXPECT_EQ(scaling_region(0.91, 0.324, t), ScalingRegion::kSharpen);
  EXPECT_EQ(scaling_region(0.91, 0.326, t), ScalingRegion::kSoften);
  EXPECT_EQ(scaling_region(0.9, 0.1, t), ScalingRegion::kSoften);
  EXPECT_EQ(scaling_region(0.4, 1.0, t), ScalingRegion::kSoften);
}

TEST(AvuStates, CountUncertaintyAtTheThresholdAsCertain) {
  EXPECT_EQ(avu_state(true, 0.325, 0.325), AvuState::kAccurateCertain);
  EXPECT_EQ(avu_state(true, 0.326, 0.325), AvuState::kAccurateUncertain);
  EXPECT_EQ(avu_state(false, 0.325, 0.325), AvuState::kInaccurateCertain);
  EXPECT_EQ(avu_state(false, 0.326, 0.325), AvuState::kInaccurateUncertain);
}

/// The largest U_max - u_min_attainable on [1/K, gamma], by looking everywhere.
double scanned_spread(double gamma, std::size_t classes) {
  const double low = 1.0 / static_cast<double>(classes);
  constexpr int steps = 20000;
  double best = 0.0;
  for (int i = 0; i <= steps; ++i) {
    const double c = std::min(gamma, low + (gamma - low) * i / steps);
    best = std::max(best, u_max(c, classes) - u_min_attainable(c, classes));
  }
  return best;
}

TEST(DeviationScale, IsTheTableOfDivisors) {
  const DeviationScale scale = deviation_scale(0.9, 5);
  EXPECT_NEAR(scale.accurate_certain, 0.1 * std::log(4.0), 1e-15);
  EXPECT_NEAR(scale.accurate_uncertain, 0.7, 1e-15);
  EXPECT_NEAR(scale.inaccurate_certain, 0.1, 1e-15);
  EXPECT_NEAR(scale.inaccurate_uncertain, 0.5 * std::log(4.0), 1e-12);
}

TEST(DeviationScale, IsHalfTheLogarithmUpTo17Classes) {
  for (std::size_t classes = 3; classes <= 17; ++classes) {
    for (const double gamma : {0.5, 0.7, 0.9, 1.0}) {
      EXPECT_NEAR(deviation_scale(gamma, classes).inaccurate_uncertain,
                  0.5 * std::log(static_cast<double>(classes - 1)), 1e-12)
          << classes << " " << gamma;
    }
  }
}

TEST(DeviationScale, ExceedsHalfTheLogarithmFrom18ClassesOn) {
  for (const std::size_t classes : {18, 19, 25, 50, 200}) {
    const double scale = deviation_scale(0.9, classes).inaccurate_uncertain;
    EXPECT_GT(scale, 0.5 * std::log(static_cast<double>(classes - 1)) + 1e-6) << classes;
  }
}

TEST(DeviationScale, AgreesWithAScan) {
  for (const std::size_t classes : {3, 4, 7, 17, 18, 30, 50}) {
    for (const double gamma : {0.12, 0.26, 0.34, 0.45, 0.5, 0.9}) {
      if (gamma * static_cast<double>(classes) < 1.0) continue;
      const double scanned = scanned_spread(gamma, classes);
      const double scale = deviation_scale(gamma, classes).inaccurate_uncertain;
      EXPECT_GE(scale, scanned - 1e-12) << classes << " " << gamma;
      EXPECT_NEAR(scale, scanned, 1e-3) << classes << " " << gamma;
    }
  }
}

TEST(DeviationScale, RefusesGammaOutsideItsInterval) {
  test::expect_error<ArgumentError>([] { deviation_scale(0.2, 4); },
                                    "gamma must be in [0.25, 1], not 0.2");
  test::expect_error<ArgumentError>([] { deviation_scale(0.9, 1); }, "at least 2, not 1");
}

TEST(NormalisedDeviation, LiesInTheUnitIntervalOnRandomSimplices) {
  test::RandomSimplex simplex(2);
  for (const std::size_t classes : {2, 3, 5, 7, 17, 18, 33, 50}) {
    for (const double gamma : {1.0 / static_cast<double>(classes), 0.3, 0.5, 0.9, 1.0}) {
      if (gamma * static_cast<double>(classes) < 1.0) continue;
      const DeviationScale scale = deviation_scale(gamma, classes);
      for (const std::vector<double>& p : simplex.mixed(classes)) {
        const Summary summary = summarise(p.data(), classes);
        for (const bool correct : {false, true}) {
          const double deviation = normalised_deviation(correct, summary.confidence,
                                                        summary.entropy, gamma, classes, scale);
          ASSERT_GE(deviation, 0.0);
          ASSERT_LE(deviation, 1.0 + 1e-12)
              << "K=" << classes << " gamma=" << gamma << " c=" << summary.confidence
              << " U=" << summary.entropy << " correct=" << correct;
        }
      }
    }
  }
}

TEST(NormalisedDeviation, ReachesOneWhereItsRegionEnds) {
  const DeviationScale scale = deviation_scale(0.9, 5);
  EXPECT_NEAR(normalised_deviation(true, 0.2, std::log(5.0), 0.9, 5, scale), 1.0, 1e-12);
  EXPECT_NEAR(normalised_deviation(false, 1.0, 0.0, 0.9, 5, scale), 1.0, 1e-12);
  EXPECT_NEAR(normalised_deviation(false, 0.5, std::log(2.0), 0.9, 5, scale), 1.0, 1e-12);
  const double c = 0.9 + 1e-13;
  EXPECT_NEAR(normalised_deviation(true, c, u_max(c, 5), 0.9, 5, scale), 1.0, 1e-9);
}

TEST(NormalisedDeviation, VanishesOnTheCurve) {
  const DeviationScale scale = deviation_scale(0.9, 5);
  EXPECT_EQ(normalised_deviation(true, 0.95, u_min(0.95, 5), 0.9, 5, scale), 0.0);
  EXPECT_EQ(normalised_deviation(false, 0.6, u_max(0.6, 5), 0.9, 5, scale), 0.0);
  EXPECT_EQ(normalised_deviation(true, 0.9, 0.4, 0.9, 5, scale), 0.0);
}

TEST(NormalisedDeviation, HasNoEntropyTermForTwoClasses) {
  const DeviationScale scale = deviation_scale(0.9, 2);
  EXPECT_EQ(scale.accurate_certain, 0.0);
  EXPECT_EQ(scale.inaccurate_uncertain, 0.0);
  EXPECT_EQ(normalised_deviation(true, 0.95, 0.19, 0.9, 2, scale), 0.0);
  EXPECT_EQ(normalised_deviation(false, 0.6, 0.6, 0.9, 2, scale), 0.0);
  EXPECT_NEAR(normalised_deviation(false, 0.95, 0.19, 0.9, 2, scale), 0.5, 1e-12);
}

}  // namespace
}  // namespace cubcal
