#include "cubcal/calibration/assessment.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::LogitSet;

// Of three passes one is sure of class 0 and two lean to class 1. Their average says 0, until
// sharpening makes the two as sure as the one.
void add_flipping_sample(LogitSet& set, std::size_t sample) {
  const double passes[3][3] = {{10, 0, 0}, {0, 1, 0}, {0, 1, 0}};
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t k = 0; k < 3; ++k) set.at(s, sample, k) = passes[s][k];
  }
}

Calibration sharpening() {
  Calibration calibration;
  calibration.method = CalibrationMethod::kTsNll;
  calibration.classes = 3;
  calibration.thresholds = paper_thresholds();
  calibration.t_high = calibration.t_low = 0.1;
  return calibration;
}

CalibrationAssessment assessed(const Calibration& calibration, const LogitSet& set) {
  const Predictive unscaled = predict(set.view());
  return assess_calibration(calibration, unscaled,
                            apply_calibration(calibration, set.view(), unscaled), set.labels, {});
}

TEST(Assessment, CountsFlipsCausedByAveraging) {
  LogitSet set{3, 5, 3, std::vector<double>(45, 0.0), {0, 1, 2, 1, 0}};
  for (std::size_t i = 0; i < 4; ++i) add_flipping_sample(set, i);
  for (std::size_t s = 0; s < 3; ++s) set.at(s, 4, 0) = 20;  // sure, right, and stays so
  const CalibrationAssessment assessment = assessed(sharpening(), set);
  EXPECT_EQ(assessment.flips.to_wrong, 1U);
  EXPECT_EQ(assessment.flips.to_right, 2U);
  EXPECT_EQ(assessment.flips.wrong_to_wrong, 1U);
  EXPECT_EQ(assessment.flips.total(), 4U);
  EXPECT_EQ(assessment.share_sharpened, 0.2);
  EXPECT_EQ(assessment.before[Metric::kAccuracy], 2.0 / 5);
  EXPECT_EQ(assessment.after[Metric::kAccuracy], 3.0 / 5);
}

TEST(Assessment, OfNoScalingIsTheSameTwice) {
  const LogitSet set = test::random_logits({}, 1);
  Calibration calibration = sharpening();
  calibration.t_high = calibration.t_low = 1.0;
  const CalibrationAssessment assessment = assessed(calibration, set);
  EXPECT_EQ(assessment.flips.total(), 0U);
  for (const MetricInfo& info : metric_infos()) {
    EXPECT_EQ(assessment.before[info.metric], assessment.after[info.metric]) << info.key;
  }
}

TEST(Assessment, RefusesAnotherNumberOfClasses) {
  test::LogitShape shape;
  shape.classes = 4;
  const LogitSet set = test::random_logits(shape, 1);
  test::expect_error<DataError>([&] { assessed(sharpening(), set); },
                                "fitted for 3 classes and cannot be applied to 4");
}

}  // namespace
}  // namespace cubcal
