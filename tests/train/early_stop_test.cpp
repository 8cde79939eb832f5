#include "cubcal_nn/train/early_stop.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

MetricValues with(Metric metric, std::optional<double> value) {
  MetricValues values;
  values[metric] = value;
  return values;
}

TEST(EarlyStop, StopsAfterPatienceEpochsWithoutABetterOne) {
  const EarlyStopOptions options{"accuracy", 2, 0};
  EarlyStop stop;
  EXPECT_TRUE(stop.observe(options, 0, with(Metric::kAccuracy, 0.5)));
  EXPECT_TRUE(stop.observe(options, 1, with(Metric::kAccuracy, 0.6)));
  EXPECT_FALSE(stop.observe(options, 2, with(Metric::kAccuracy, 0.6)));
  EXPECT_FALSE(stop.should_stop(options));
  EXPECT_FALSE(stop.observe(options, 3, with(Metric::kAccuracy, 0.4)));
  EXPECT_TRUE(stop.should_stop(options));
  EXPECT_EQ(stop.best_epoch, 1);
}

TEST(EarlyStop, ALossIsToFall) {
  const EarlyStopOptions options{"nll", 0, 0};
  EarlyStop stop;
  EXPECT_TRUE(stop.observe(options, 0, with(Metric::kNll, 0.5)));
  EXPECT_TRUE(stop.observe(options, 1, with(Metric::kNll, 0.4)));
  EXPECT_FALSE(stop.observe(options, 2, with(Metric::kNll, 0.45)));
  EXPECT_FALSE(stop.should_stop(options)) << "patience 0 never stops";
}

TEST(EarlyStop, EpochsBeforeTheFirstThatCountsAreNeitherBestNorWaitedFor) {
  const EarlyStopOptions options{"accuracy", 1, 3};
  EarlyStop stop;
  EXPECT_FALSE(stop.observe(options, 0, with(Metric::kAccuracy, 0.9)));
  EXPECT_FALSE(stop.observe(options, 1, with(Metric::kAccuracy, 0.9)));
  EXPECT_FALSE(stop.should_stop(options));
  EXPECT_TRUE(stop.observe(options, 2, with(Metric::kAccuracy, 0.5)));
}

TEST(EarlyStop, AnUndefinedValueIsNeverBetter) {
  const EarlyStopOptions options{"delta_u", 1, 0};
  EarlyStop stop;
  EXPECT_FALSE(stop.observe(options, 0, with(Metric::kDeltaU, std::nullopt)));
  EXPECT_FALSE(stop.best.has_value());
}

TEST(EarlyStop, AnUnknownMetricListsTheKnownOnes) {
  expect_error<ArgumentError>([] { monitored_metric("acuracy"); },
                              "there are accuracy, balanced_accuracy, nll");
  expect_error<ArgumentError>([] { check_early_stop_options({"nll", 0, 11}, 10); }, "min_epochs");
}

}  // namespace
}  // namespace cubcal
