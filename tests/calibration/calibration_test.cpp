#include "cubcal/calibration/calibration.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::expect_error;
using test::LogitSet;
using test::LogitShape;
using test::random_logits;

Calibration dual(double t_high, double t_low) {
  Calibration calibration;
  calibration.method = CalibrationMethod::kDts;
  calibration.classes = 3;
  calibration.thresholds = thresholds_from_eta(kDefaultEta, 3);
  calibration.t_high = t_high;
  calibration.t_low = t_low;
  return calibration;
}

TEST(CalibrationMethods, HaveNames) {
  for (const CalibrationMethod method : kCalibrationMethods) {
    EXPECT_EQ(method_from_name(method_name(method)), method);
  }
  expect_error<ArgumentError>([] { method_from_name("platt"); },
                              "the calibration method must be ts-nll, ts-bcce, dts or "
                              "dts-guarded, not 'platt'");
  EXPECT_TRUE(is_scalar(CalibrationMethod::kTsBcce));
  EXPECT_FALSE(is_scalar(CalibrationMethod::kDtsGuarded));
  EXPECT_TRUE(needs_labels(CalibrationMethod::kTsNll));
  EXPECT_FALSE(needs_labels(CalibrationMethod::kDts));
}

TEST(SampleTemperatures, FollowTheUnscaledRegions) {
  const LogitSet set = random_logits({}, 1);
  const Predictive unscaled = predict(set.view());
  const Calibration calibration = dual(0.6, 1.5);
  const std::vector<double> temperatures = sample_temperatures(calibration, unscaled);
  std::size_t sharpened = 0;
  std::size_t would_move = 0;
  const Predictive scaled = apply_calibration(calibration, set.view(), unscaled);
  for (std::size_t i = 0; i < set.samples; ++i) {
    const bool sharpen = scaling_region(unscaled.confidence[i], unscaled.entropy[i],
                                        calibration.thresholds) == ScalingRegion::kSharpen;
    sharpened += sharpen ? 1 : 0;
    EXPECT_EQ(temperatures[i], sharpen ? 0.6 : 1.5);
    // Each prediction is the one at that temperature.
    const Predictive alone = predict(set.view(), std::vector<double>{temperatures[i]});
    EXPECT_EQ(scaled.entropy[i], alone.entropy[i]);
    EXPECT_EQ(scaled.confidence[i], alone.confidence[i]);
  }
  EXPECT_GT(sharpened, 10U);
  EXPECT_LT(sharpened, set.samples - 10);
  // Softening everything would empty the sharpen region: regions are not taken from the result.
  const Calibration soft = dual(3.0, 3.0);
  const Predictive softened = apply_calibration(soft, set.view(), unscaled);
  for (std::size_t i = 0; i < set.samples; ++i) {
    const bool sharpen = scaling_region(softened.confidence[i], softened.entropy[i],
                                        soft.thresholds) == ScalingRegion::kSharpen;
    if (!sharpen && temperatures[i] == 0.6) ++would_move;
  }
  EXPECT_GT(would_move, 10U);
}

TEST(SampleTemperatures, AreOneForScalarMethods) {
  const LogitSet set = random_logits({}, 2);
  Calibration calibration = dual(1.7, 1.7);
  calibration.method = CalibrationMethod::kTsNll;
  for (const double t : sample_temperatures(calibration, predict(set.view()))) EXPECT_EQ(t, 1.7);
}

TEST(ApplyCalibration, AtOneChangesNothing) {
  const LogitSet set = random_logits({}, 3);
  const Predictive unscaled = predict(set.view());
  const Predictive scaled = apply_calibration(dual(1.0, 1.0), set.view(), unscaled);
  EXPECT_EQ(unscaled.probabilities, scaled.probabilities);
  EXPECT_EQ(unscaled.entropy, scaled.entropy);
}

TEST(ApplyCalibration, RefusesAnotherNumberOfClasses) {
  LogitShape shape;
  shape.classes = 5;
  const LogitSet set = random_logits(shape, 4);
  expect_error<DataError>([&] { apply_calibration(dual(1, 1), set.view(), predict(set.view())); },
                          "the calibration was fitted for 3 classes and cannot be applied to 5");
}

}  // namespace
}  // namespace cubcal
