#include "cubcal/train/learning_rate.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

LearningRateOptions options_of(LearningRateSchedule schedule) {
  LearningRateOptions options;
  options.peak = 0.4;
  options.schedule = schedule;
  return options;
}

TEST(LearningRate, CosineFallsFromThePeakToItsEnd) {
  LearningRateOptions options = options_of(LearningRateSchedule::kCosine);
  options.final_share = 0.1;
  EXPECT_DOUBLE_EQ(learning_rate(options, {0, 10, 4}), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate(options, {20, 10, 4}), 0.22);
  EXPECT_NEAR(learning_rate(options, {39, 10, 4}), 0.04, 1e-3);
}

TEST(LearningRate, WarmUpRisesLinearlyAndEndsAtThePeak) {
  LearningRateOptions options = options_of(LearningRateSchedule::kConstant);
  options.warmup_epochs = 1;
  EXPECT_DOUBLE_EQ(learning_rate(options, {0, 3, 4}), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate(options, {1, 3, 4}), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(options, {2, 3, 4}), 0.3);
  EXPECT_DOUBLE_EQ(learning_rate(options, {3, 3, 4}), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate(options, {11, 3, 4}), 0.4);
}

TEST(LearningRate, OneCycleRisesThenFalls) {
  const LearningRateOptions options = options_of(LearningRateSchedule::kOneCycle);
  EXPECT_DOUBLE_EQ(learning_rate(options, {0, 10, 10}), 0.04 * 0.4);
  EXPECT_DOUBLE_EQ(learning_rate(options, {30, 10, 10}), 0.4);
  EXPECT_LT(learning_rate(options, {29, 10, 10}), 0.4);
  EXPECT_LT(learning_rate(options, {99, 10, 10}), 1e-3);
}

TEST(LearningRate, BadOptionsAreNamed) {
  LearningRateOptions options;
  options.peak = 0;
  expect_error<ArgumentError>([&] { check_learning_rate_options(options, 5); }, "learning_rate");
  options.peak = 0.1;
  options.warmup_epochs = 6;
  expect_error<ArgumentError>([&] { check_learning_rate_options(options, 5); }, "warmup_epochs");
  expect_error<ArgumentError>([] { value_named(kLearningRateSchedules, "step"); },
                              "constant, cosine or one-cycle");
}

}  // namespace
}  // namespace cubcal
