#include "cubcal/monitor/monitoring.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/monitor/monitoring_json.h"
#include "expect_error.h"
#include "monitor/random_predictions.h"

namespace cubcal {
namespace {

using test::random_predictions;

const std::vector<std::string> kNames{"a", "b", "c"};

// Three periods and a reference of the same kind, patients of two equal images: any alarm at all
// comes as often as the rate says or less. Image by image it would come far more often.
TEST(Monitoring, FalseAlarmsKeepTheirRate) {
  constexpr int kSimulations = 200;
  MonitorOptions options;
  options.alarm_rate = 0.2;
  options.drift.permutations = 99;
  int alarms = 0;
  int naive = 0;
  for (int s = 0; s < kSimulations; ++s) {
    const auto seed = static_cast<std::uint64_t>(10 * s);
    const Predictions reference = random_predictions(seed, 60, 2);
    std::vector<Predictions> periods;
    for (std::uint64_t t = 1; t <= 3; ++t) periods.push_back(random_predictions(seed + t, 40, 2));
    options.drift.seed = seed;
    options.drift.by_group = true;
    alarms += monitor(reference, periods, kNames, options).alarms() > 0 ? 1 : 0;
    options.drift.by_group = false;
    naive += monitor(reference, periods, kNames, options).alarms() > 0 ? 1 : 0;
  }
  const double rate = static_cast<double>(alarms) / kSimulations;
  RecordProperty("false_alarm_rate", std::to_string(rate));
  RecordProperty("false_alarm_rate_by_image",
                 std::to_string(static_cast<double>(naive) / kSimulations));
  EXPECT_LE(rate, 0.2 + 3 * std::sqrt(0.2 * 0.8 / kSimulations));
  EXPECT_GT(rate, 0.02);
  EXPECT_GT(naive, 2 * alarms);
}

TEST(Monitoring, ExpectedAccuracyHoldsTheActualOneWhereConfidenceIsHonest) {
  constexpr int kSimulations = 300;
  int covered = 0;
  for (int s = 0; s < kSimulations; ++s) {
    const Predictions reference = random_predictions(static_cast<std::uint64_t>(s), 150, 1);
    const Monitoring result = monitor(reference, {}, kNames, {});
    const double actual = *result.reference.actual->share();
    const Interval& expected = *result.reference.expected_interval;
    covered += actual >= expected.low && actual <= expected.high ? 1 : 0;
  }
  const double share = static_cast<double>(covered) / kSimulations;
  EXPECT_GE(share, 0.95 - 3 * std::sqrt(0.95 * 0.05 / kSimulations));
}

TEST(Monitoring, SummariesAreCounts) {
  Predictions reference;
  reference.name = "reference";
  reference.predicted = {0, 0, 1, 2};
  reference.confidence = {0.9, 0.5, 0.7, 1};
  reference.uncertainty = {0.2, 0.9, 0.325, 0};
  reference.outside = {0, 1, 0, 0};
  reference.labels = {0, 1, -1, 2};
  const Monitoring result = monitor(reference, {}, kNames, {});
  const PeriodSummary& summary = result.reference;
  EXPECT_EQ(summary.classes[0].count, 2U);
  EXPECT_EQ(summary.referral.count, 1U);  // U at the threshold is not above it
  EXPECT_EQ(summary.outside->count, 1U);
  EXPECT_NEAR(*summary.expected_accuracy, 0.775, 1e-12);
  EXPECT_EQ(summary.actual->count, 2U);
  EXPECT_EQ(summary.actual->of, 3U);
  EXPECT_NEAR(*summary.median_uncertainty, 0.2625, 1e-12);
  EXPECT_EQ(result.tests_per_period, 5U);
}

TEST(Monitoring, VerdictsDecideWhatIsReferred) {
  Predictions reference = random_predictions(1, 200, 1);
  Predictions period = reference;
  period.name = "june";
  period.verdicts.assign(200, Decision::kAccept);
  std::fill_n(period.verdicts.begin(), 120, Decision::kRefer);
  const auto tested = [&] {
    const Monitoring result = monitor(reference, {period}, kNames, {});
    for (const DriftResult& each : result.periods[0].tests) {
      if (each.test == DriftTest::kReferral) return std::pair(result, each.p);
    }
    throw std::logic_error("no test of referral");
  };
  const auto [mixed, p] = tested();
  EXPECT_EQ(mixed.periods[0].referral.count, 120U);
  EXPECT_EQ(mixed.periods[0].accepted->count, 80U);
  EXPECT_FALSE(mixed.reference.accepted);
  EXPECT_EQ(p, 1);  // U of both sides, which is the same
  EXPECT_NE(referral_rule(mixed).find("where they hold some (june), U above 0.325 nats elsewhere"),
            std::string::npos)
      << referral_rule(mixed);
  reference.verdicts.assign(200, Decision::kAccept);
  const auto [both, p_of_verdicts] = tested();
  EXPECT_LT(p_of_verdicts, 0.001);
  EXPECT_EQ(referral_rule(both), "Accepted, referred and out of scope: the verdicts of the logs.");
}

TEST(Monitoring, APeriodWithoutPredictionsIsShownAndNotTested) {
  Predictions empty;
  empty.name = "holidays";
  const Monitoring result =
      monitor(random_predictions(1, 30, 1), {empty, random_predictions(2, 30, 1)}, kNames, {});
  EXPECT_TRUE(result.periods[0].tests.empty());
  EXPECT_FALSE(result.periods[0].expected_accuracy);
  EXPECT_FALSE(result.periods[0].referral.share());
  EXPECT_EQ(result.periods[1].tests.size(), 4U);
  const auto json = monitoring_json(result);
  EXPECT_TRUE(json["periods"][0]["referral"]["share"].is_null());
  EXPECT_TRUE(json["periods"][0]["tests"].empty());
}

TEST(Monitoring, ADocumentSaysWhatItWasMadeOf) {
  const Monitoring result =
      monitor(random_predictions(1, 30, 1), {random_predictions(2, 30, 1)}, kNames, {});
  const auto json =
      nlohmann::ordered_json::parse(monitoring_document(result, {{"june.npz"}, "", {"one line"}}));
  EXPECT_EQ(json.begin().key(), "cubcal");
  EXPECT_EQ(json["files"], nlohmann::ordered_json::array({"june.npz"}));
  EXPECT_TRUE(json["calibration"].is_null());
  EXPECT_EQ(json["reading_warnings"], nlohmann::ordered_json::array({"one line"}));
  EXPECT_EQ(json["periods"], monitoring_json(result)["periods"]);
}

TEST(Monitoring, PlannedPeriodsMakeTheBound) {
  MonitorOptions options;
  options.planned_periods = 12;
  const std::vector<Predictions> one{random_predictions(2, 30, 1)};
  const Monitoring result = monitor(random_predictions(1, 30, 1), one, kNames, options);
  EXPECT_NEAR(result.alarm_bound, 0.05 / 48, 1e-15);
  options.planned_periods = 1;
  test::expect_error<ArgumentError>(
      [&] {
        monitor(random_predictions(1, 30, 1), {one[0], one[0]}, kNames, options);
      },
      "the option 'periods' plans 1, but 2 are given");
  options.planned_periods = 12;
  options.drift.permutations = 900;
  test::expect_error<ArgumentError>(
      [&] { monitor(random_predictions(1, 30, 1), one, kNames, options); },
      "the option 'permutations' must be at least 959");
  options.drift.permutations = 959;
  EXPECT_EQ(monitor(random_predictions(1, 30, 1), one, kNames, options).periods.size(), 1U);
}

TEST(Monitoring, WarnsWhereTheReferenceIsNotCalibrated) {
  Predictions reference = random_predictions(1, 200, 1);
  EXPECT_EQ(calibration_warning(monitor(reference, {}, kNames, {})), "");
  for (std::size_t i = 0; i < 100; ++i) reference.labels[i] = (reference.predicted[i] + 1) % 3;
  EXPECT_NE(calibration_warning(monitor(reference, {}, kNames, {})).find("not calibrated"),
            std::string::npos);
  reference.labels.clear();
  EXPECT_EQ(calibration_warning(monitor(reference, {}, kNames, {})), "");
}

TEST(Monitoring, RefusesWhatDoesNotBelongTogether) {
  test::expect_error<DataError>([] { monitor({}, {}, kNames, {}); }, "has no predictions");
  test::expect_error<DataError>([] { monitor(random_predictions(1, 30, 1), {}, {"a"}, {}); },
                                "has an answer of class");
  MonitorOptions options;
  options.alarm_rate = 1;
  test::expect_error<ArgumentError>([&] { check_monitor_options(options); }, "the alarm rate");
}

}  // namespace
}  // namespace cubcal
