#include "cubcal/benefit/benefit_curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using D = Decision;

/// Ten cases, four diseased, two referred and one out of scope.
BenefitCases ten_cases() {
  return {{0.9, 0.8, 0.3, 0.1, 0.7, 0.4, 0.2, 0.1, 0.05, 0.5},
          {1, 1, 1, 1, 0, 0, 0, 0, 0, 0},
          {D::kAccept, D::kAccept, D::kRefer, D::kAccept, D::kOutOfScope, D::kRefer, D::kAccept,
           D::kAccept, D::kAccept, D::kAccept}};
}

BenefitOptions options_at(std::vector<double> thresholds, double referral) {
  BenefitOptions options;
  options.thresholds = std::move(thresholds);
  options.prices.referral = referral;
  return options;
}

TEST(BenefitCurve, ByHand) {
  const BenefitCurve curve = benefit_curve(ten_cases(), options_at({0.5}, 0.1));
  ASSERT_EQ(curve.strategies.size(), 5U);
  EXPECT_EQ(curve.subject(), Strategy::kPolicy);
  const BenefitPoint& point = curve.points.front();
  EXPECT_DOUBLE_EQ(point.prevalence, 0.4);
  // Accepted and treated at 0.5: two diseased (0.9, 0.8), one healthy (0.5 itself). The expert
  // finds the referred one; the one at 0.1 is missed.
  EXPECT_DOUBLE_EQ(point.outcome(Strategy::kPolicy).missed, 0.1);
  EXPECT_DOUBLE_EQ(point.outcome(Strategy::kPolicy).false_alarms, 0.1);
  EXPECT_DOUBLE_EQ(point.outcome(Strategy::kPolicy).referred, 0.2);
  EXPECT_DOUBLE_EQ(point.outcome(Strategy::kPolicy).out_of_scope, 0.1);
  EXPECT_NEAR(point.value(Strategy::kPolicy), 0.3 - 0.1 - 0.1 * 0.3, 1e-15);
  // Answering everything finds two and alarms two (0.7, 0.5).
  EXPECT_NEAR(point.value(Strategy::kAnswerAll), 0.2 - 0.2, 1e-15);
  EXPECT_NEAR(point.value(Strategy::kTreatAll), 0.4 - 0.6, 1e-15);
  EXPECT_EQ(point.value(Strategy::kTreatNone), 0);
  EXPECT_NEAR(point.value(Strategy::kReferAll), 0.4 - 0.1, 1e-15);
  // Three referrals save a miss and a false alarm, 0.2 of 10 patients: worth 0.2 / 0.3 each.
  EXPECT_NEAR(*point.break_even, 0.2 / 0.3, 1e-15);
  EXPECT_NEAR(curve.lead(0, Strategy::kPolicy, Strategy::kAnswerAll), 0.17, 1e-15);
}

TEST(BenefitCurve, AnExpertErrsWhereToldSo) {
  BenefitOptions options = options_at({0.5}, 0.1);
  options.expert = {0.5, 0.75};
  const BenefitPoint point = benefit_curve(ten_cases(), options).points.front();
  EXPECT_NEAR(point.outcome(Strategy::kPolicy).missed, 0.1 + 0.5 * 0.1, 1e-15);
  EXPECT_NEAR(point.outcome(Strategy::kPolicy).false_alarms, 0.1 + 0.25 * 0.2, 1e-15);
  EXPECT_NEAR(point.value(Strategy::kReferAll), 0.4 - 0.5 * 0.4 - 0.25 * 0.6 - 0.1, 1e-15);
}

// At its break-even price the policy is worth what answering everything is.
TEST(BenefitCurve, BreakEvenIsWhereTheTwoAreEqual) {
  for (const bool stated : {false, true}) {
    for (const bool own_scope_price : {false, true}) {
      BenefitOptions options = options_at({0.3}, 0.1);
      if (stated) {
        options.prices.miss = 30;
        options.prices.false_alarm = 4;
      }
      if (own_scope_price) options.prices.out_of_scope = 0.03;
      options.prices.referral = *benefit_curve(ten_cases(), options).points.front().break_even;
      EXPECT_NEAR(
          benefit_curve(ten_cases(), options).lead(0, Strategy::kPolicy, Strategy::kAnswerAll), 0,
          1e-9);
    }
  }
}

TEST(BenefitCurve, AStatedPrevalenceWeighsBothSides) {
  BenefitOptions options = options_at({0.5}, 0.1);
  options.prevalence = 0.1;
  const BenefitPoint point = benefit_curve(ten_cases(), options).points.front();
  EXPECT_DOUBLE_EQ(point.prevalence, 0.1);
  // Sensitivity 1/2 and false positive rate 1/3 stay.
  EXPECT_NEAR(point.value(Strategy::kAnswerAll), 0.1 * 0.5 - 0.9 / 3, 1e-15);
  EXPECT_NEAR(point.outcome(Strategy::kPolicy).referred, 0.1 / 4 + 0.9 / 6, 1e-15);
  options.prevalence = 0.4;  // their own: changes nothing
  const BenefitPoint same = benefit_curve(ten_cases(), options).points.front();
  const BenefitPoint plain = benefit_curve(ten_cases(), options_at({0.5}, 0.1)).points.front();
  for (std::size_t s = 0; s < kStrategyCount; ++s)
    EXPECT_NEAR(same.values[s], plain.values[s], 1e-15);
}

TEST(BenefitCurve, WithoutDecisionsTheModelAnswersEverything) {
  BenefitCases cases = ten_cases();
  cases.decisions.clear();
  BenefitOptions options;
  options.thresholds = {0.2};
  const BenefitCurve curve = benefit_curve(cases, options);
  EXPECT_EQ(curve.subject(), Strategy::kAnswerAll);
  EXPECT_EQ(curve.strategies.size(), 3U);
  EXPECT_FALSE(curve.points.front().break_even);
}

TEST(BenefitCurve, OneSidedCases) {
  BenefitCases healthy = ten_cases();
  healthy.diseased.assign(10, 0);
  const BenefitPoint point = benefit_curve(healthy, options_at({0.5}, 0.1)).points.front();
  EXPECT_EQ(point.prevalence, 0);
  EXPECT_NEAR(point.value(Strategy::kTreatAll), -1, 1e-15);
  BenefitOptions options = options_at({0.5}, 0.1);
  options.prevalence = 0.1;
  test::expect_error<DataError>([&] { benefit_curve(healthy, options); },
                                "a prevalence of 0.1 needs cases with and without the disease");
  options.prevalence = 0;  // needs no diseased case
  EXPECT_NO_THROW(benefit_curve(healthy, options));
}

TEST(BenefitCurve, RefusesWhatMakesNoSense) {
  const auto refused = [](const BenefitOptions& options, const std::string& words) {
    test::expect_error<ArgumentError>([&] { benefit_curve(ten_cases(), options); }, words);
  };
  refused(options_at({}, 0.1), "there must be 1 to 1000 threshold probabilities, not 0");
  refused(options_at({1.0}, 0.1), "a threshold probability must be in [0, 1), not 1");
  refused(options_at({std::nan("")}, 0.1), "a threshold probability must be in [0, 1)");
  refused(options_at({0.3, 0.2}, 0.1), "threshold probabilities must rise, but 0.2 follows 0.3");
  BenefitOptions unpriced;
  unpriced.thresholds = {0.5};
  refused(unpriced, "a policy that refers cases needs the cost of a referral");
  BenefitOptions expert = options_at({0.5}, 0.1);
  expert.expert.sensitivity = 1.5;
  refused(expert, "the expert's sensitivity must be in [0, 1], not 1.5");
  test::expect_error<DataError>([] { benefit_curve({}, options_at({0.5}, 0.1)); },
                                "there is no case");
}

/// Cases with risks that mean what they say, many of them tied with thresholds.
BenefitCases drawn_cases(std::size_t count, std::uint64_t seed) {
  BenefitCases cases;
  SeedStream stream(seed, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const double risk = static_cast<double>(stream.below(21)) / 20;
    cases.risk.push_back(risk);
    cases.diseased.push_back(stream.uniform() < risk ? 1 : 0);
    cases.decisions.push_back(stream.uniform() < 0.3   ? D::kRefer
                              : stream.uniform() < 0.1 ? D::kOutOfScope
                                                       : D::kAccept);
  }
  return cases;
}

/// Straight from the definition, a case at a time.
double naive_policy_benefit(const BenefitCases& cases, const std::vector<std::uint32_t>& counts,
                            double pt, const Prices& prices) {
  double sum = 0;
  double all = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const bool is_sick = cases.diseased[i] != 0;
    double own = 0;
    if (cases.decisions[i] == D::kAccept) {
      if (cases.risk[i] >= pt) own = is_sick ? 1 : -pt / (1 - pt);
    } else {
      own = (is_sick ? 1.0 : 0.0) -
            (cases.decisions[i] == D::kRefer ? *prices.referral : prices.of_out_of_scope());
    }
    sum += counts[i] * own;
    all += counts[i];
  }
  return sum / all;
}

TEST(BenefitCurve, IsTheSumOverCases) {
  const BenefitCases cases = drawn_cases(300, 5);
  BenefitOptions options = options_at({0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.95}, 0.07);
  options.prices.out_of_scope = 0.2;
  const std::vector<std::uint32_t> once(cases.size(), 1);
  for (const BenefitPoint& point : benefit_curve(cases, options).points) {
    EXPECT_NEAR(point.value(Strategy::kPolicy),
                naive_policy_benefit(cases, once, point.threshold, options.prices), 1e-12);
  }
}

TEST(BenefitIntervals, AreThoseOfResampledGroups) {
  const BenefitCases cases = drawn_cases(120, 7);
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < cases.size(); ++i) groups.push_back(std::to_string(i / 3));
  BenefitCurve curve = benefit_curve(cases, options_at({0.1, 0.3}, 0.07));
  BootstrapOptions bootstrap;
  bootstrap.replicates = 60;
  bootstrap.seed = 3;
  add_benefit_intervals(curve, cases, groups, bootstrap);
  const ResamplingUnits units = resampling_units(cases.size(), groups, "cases");
  for (std::size_t p = 0; p < 2; ++p) {
    std::vector<double> values;
    for (std::size_t r = 0; r < bootstrap.replicates; ++r) {
      SeedStream stream(bootstrap.seed, r);
      values.push_back(naive_policy_benefit(cases, draw_counts(units, stream),
                                            curve.points[p].threshold, curve.options.prices));
    }
    const Interval expected = percentile_interval(values, bootstrap.level);
    const Interval& found = *curve.intervals[p].values[0];
    EXPECT_NEAR(found.low, expected.low, 1e-12);
    EXPECT_NEAR(found.high, expected.high, 1e-12);
    EXPECT_EQ(found.replicates, 60U);
    // What is treated nowhere is worth 0 in every replicate.
    EXPECT_EQ(curve.intervals[p].values[static_cast<std::size_t>(Strategy::kTreatNone)]->high, 0);
  }
}

TEST(BenefitIntervals, DoNotDependOnThreads) {
  const BenefitCases cases = drawn_cases(100, 9);
  BootstrapOptions bootstrap;
  bootstrap.replicates = 40;
  std::vector<double> ends;
  for (const std::size_t threads : {std::size_t{1}, std::size_t{3}}) {
    const test::Threads scope(threads);
    BenefitCurve curve = benefit_curve(cases, options_at({0.1, 0.3}, 0.07));
    add_benefit_intervals(curve, cases, {}, bootstrap);
    ends.push_back(curve.intervals[1].leads[1]->low);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(BenefitIntervals, TooManyAreRefused) {
  const BenefitCases cases = ten_cases();
  BenefitCurve curve = benefit_curve(cases, options_at({0.1, 0.3}, 0.07));
  BootstrapOptions bootstrap;
  bootstrap.replicates = 1'000'001;
  test::expect_error<ArgumentError>([&] { add_benefit_intervals(curve, cases, {}, bootstrap); },
                                    "replicates times thresholds must be at most 2000000");
}

TEST(BestRanges, AreRunsOfThresholds) {
  // One case that is diseased at risk 0.5 and one healthy at 0.2: the model is right from 0.25 to
  // 0.5 and beaten or equalled elsewhere.
  const BenefitCases cases{{0.5, 0.2}, {1, 0}, {}};
  BenefitOptions options;
  options.thresholds = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  const BenefitCurve curve = benefit_curve(cases, options);
  const std::vector<ThresholdRange> ranges = best_ranges(curve, Strategy::kAnswerAll);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0].first, 0.3);
  EXPECT_EQ(ranges[0].last, 0.5);
  EXPECT_TRUE(best_ranges(curve, Strategy::kTreatAll).empty()) << "equal is not better";
}

TEST(BestRanges, BeyondChanceNeedsEveryIntervalAboveZero) {
  BenefitCases cases = drawn_cases(4000, 11);
  for (std::size_t i = 0; i < cases.size(); ++i) {  // refers exactly what the model is unsure of
    cases.decisions[i] =
        cases.risk[i] > 0.2 && cases.risk[i] < 0.8 ? Decision::kRefer : Decision::kAccept;
  }
  BenefitCurve curve = benefit_curve(cases, options_at({0.3, 0.5}, 0.1));
  BootstrapOptions bootstrap;
  bootstrap.replicates = 100;
  add_benefit_intervals(curve, cases, {}, bootstrap);
  ASSERT_EQ(clearly_best_ranges(curve).size(), 1U);
  EXPECT_EQ(clearly_best_ranges(curve)[0].last, 0.5);
  BenefitCurve dear = benefit_curve(cases, options_at({0.3, 0.5}, 0.9));
  add_benefit_intervals(dear, cases, {}, bootstrap);
  EXPECT_TRUE(clearly_best_ranges(dear).empty());
}

}  // namespace
}  // namespace cubcal
