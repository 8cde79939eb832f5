#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal_nn/losses/beta_schedule.h"
#include "cubcal_nn/losses/class_weights.h"

namespace cubcal {
namespace {

TEST(BetaSchedule, IsFixedAfterTheWarmUp) {
  BetaSchedule schedule({BetaMode::kFixed, 1.2, 2});
  EXPECT_EQ(schedule.beta(), 0);
  schedule.end_epoch();
  EXPECT_EQ(schedule.beta(), 0);
  schedule.end_epoch();
  EXPECT_EQ(schedule.beta(), 1.2);
  BetaSchedule at_once({BetaMode::kFixed, 0.6, 0});
  EXPECT_EQ(at_once.beta(), 0.6);
}

TEST(BetaSchedule, AutomaticFollowsTheEpochBefore) {
  BetaSchedule schedule({BetaMode::kAutomatic, 0, 1});
  schedule.observe(1.0, 0.5, 10.0);
  schedule.observe(2.0, 0.5, 30.0);
  EXPECT_EQ(schedule.beta(), 0);
  schedule.end_epoch();
  EXPECT_NEAR(schedule.beta(), 0.5 * (1.5 + 0.5) / 20.0, 1e-12);
  schedule.observe(1.0, 0.0, 1e-9);
  EXPECT_NEAR(schedule.beta(), 0.05, 1e-12);  // constant within the epoch
  schedule.end_epoch();
  EXPECT_EQ(schedule.beta(), 1e2);
  schedule.observe(1e-9, 0.0, 1.0);
  schedule.end_epoch();
  EXPECT_EQ(schedule.beta(), 1e-3);
  schedule.observe(1.0, 1.0, 0.0);  // no CUB term at all: nothing to balance
  schedule.end_epoch();
  EXPECT_EQ(schedule.beta(), 1e-3);
}

TEST(BetaSchedule, ByShareLooksAtTheCrossEntropyAlone) {
  BetaOptions options{BetaMode::kShare, 0, 1};
  options.share = 0.2;
  BetaSchedule schedule(options);
  schedule.observe(0.3, 100.0, 10.0);
  schedule.observe(0.5, 100.0, 30.0);
  EXPECT_EQ(schedule.beta(), 0);
  schedule.end_epoch();
  EXPECT_NEAR(schedule.beta(), 0.2 * 0.4 / 20.0, 1e-15);
  schedule.observe(1e-6, 0.0, 1.0);
  schedule.end_epoch();
  EXPECT_NEAR(schedule.beta(), 2e-7, 1e-15) << "no floor: an easy task needs little";
  schedule.observe(1.0, 0.0, 1e-9);
  schedule.end_epoch();
  EXPECT_EQ(schedule.beta(), 1e2);
  options.share = -0.1;
  EXPECT_THROW(BetaSchedule{options}, ArgumentError);
}

TEST(BetaSchedule, ContinuesFromASavedState) {
  BetaSchedule first({BetaMode::kAutomatic, 0, 1});
  first.observe(1.0, 0.5, 10.0);
  BetaSchedule second(first.options);
  second.state = first.state;
  first.end_epoch();
  second.end_epoch();
  EXPECT_EQ(first.beta(), second.beta());
  EXPECT_THROW(BetaSchedule({BetaMode::kFixed, -1, 0}), ArgumentError);
  EXPECT_THROW(BetaSchedule({BetaMode::kFixed, 1, -1}), ArgumentError);
}

TEST(ClassWeights, HaveMeanOneOverTheSamples) {
  const std::vector<std::int64_t> counts = {10, 30, 60};
  const std::vector<double> balanced = balanced_class_weights(counts);
  EXPECT_NEAR(balanced[0], 100.0 / 30, 1e-12);
  EXPECT_NEAR(balanced[2], 100.0 / 180, 1e-12);
  const std::vector<double> root = class_weights(counts, 0.5);
  EXPECT_NEAR(10 * root[0] + 30 * root[1] + 60 * root[2], 100, 1e-10);
  EXPECT_NEAR(root[0] / root[1], std::sqrt(3.0), 1e-12);
  EXPECT_EQ(class_weights(counts, 0), (std::vector<double>{1, 1, 1}));
}

TEST(ClassWeights, NameAMissingClass) {
  try {
    balanced_class_weights({4, 0, 3});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(),
                 "class 1 has no training sample, so it cannot be given a class weight");
  }
  EXPECT_THROW(balanced_class_weights({4}), ArgumentError);
}

}  // namespace
}  // namespace cubcal
