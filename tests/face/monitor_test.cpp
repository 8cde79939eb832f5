#include "cubcal/monitor.h"

#include <gtest/gtest.h>

#include "expect_error.h"
#include "metrics/predictive_rows.h"

namespace cubcal::test {
namespace {

/// `sure` answers of 0.95 for class 0, after them `unsure` ones of 0.5 for class 1.
WatchedAnswers answers(const std::string& name, std::size_t sure, std::size_t unsure) {
  std::vector<std::vector<double>> rows(sure, {0.95, 0.03, 0.02});
  rows.insert(rows.end(), unsure, {0.3, 0.5, 0.2});
  WatchedAnswers given;
  given.name = name;
  given.predictive = predictive_rows(rows);
  return given;
}

TEST(WatchOfArrays, AlarmsWhereAnswersChange) {
  const WatchResult result =
      watch(answers("before", 180, 20), {answers("March", 90, 10), answers("April", 40, 60)});
  EXPECT_NEAR(*result.reference.expected_accuracy, (180 * 0.95 + 20 * 0.5) / 200, 1e-12);
  EXPECT_EQ(result.reference.referral.count, 20u);
  EXPECT_TRUE(result.reference.tests.empty());
  ASSERT_EQ(result.periods.size(), 2u);
  EXPECT_FALSE(result.periods[0].is_alarm());
  EXPECT_TRUE(result.periods[1].is_alarm());
  EXPECT_EQ(result.periods[1].name, "April");
  EXPECT_EQ(result.periods[1].classes[1].count, 60u);
  EXPECT_EQ(result.periods[1].tests.size(), 4u);
  for (const DriftFinding& each : result.periods[1].tests) {
    EXPECT_EQ(each.alarm, each.p <= result.alarm_bound) << each.key;
  }
  EXPECT_NEAR(result.alarm_bound, 0.05 / 8, 1e-15);
  EXPECT_TRUE(result.warning.empty());
}

TEST(WatchOfArrays, SaysWhereConfidenceIsNotBelievable) {
  WatchedAnswers reference = answers("before", 100, 0);
  reference.labels.assign(100, 1);
  const WatchResult result = watch(reference, {answers("March", 10, 0)});
  EXPECT_EQ(result.reference.actual->count, 0u);
  EXPECT_NE(result.warning.find("not calibrated"), std::string::npos);
}

TEST(WatchOfArrays, RefusesWhatMakesNoSense) {
  WatchedAnswers two;
  two.name = "binary";
  two.predictive = predictive_rows({{0.5, 0.5}});
  expect_error<DataError>([&] { watch(answers("a", 5, 5), {two}); }, "'binary' have 2 classes");
  WatchedAnswers odd = answers("a", 5, 5);
  odd.outside = {1};
  expect_error<ArgumentError>([&] { watch(odd, {answers("b", 5, 5)}); }, "out of scope has 1");
  odd = answers("a", 5, 5);
  odd.labels.assign(10, 3);
  expect_error<DataError>([&] { watch(odd, {answers("b", 5, 5)}); }, "label 3");
  WatchOptions options;
  options.alarm_rate = 2;
  expect_error<ArgumentError>([&] { watch(answers("a", 5, 5), {answers("b", 5, 5)}, options); },
                              "alarm");
}

}  // namespace
}  // namespace cubcal::test
