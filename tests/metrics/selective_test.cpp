#include "cubcal/metrics/selective.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "metrics/predictive_rows.h"

namespace cubcal {
namespace {

using test::expect_error;
using test::facts_of_answers;
using test::facts_of_rows;
using Order = std::vector<std::uint32_t>;

TEST(OrderByCertainty, PutsTheMostCertainFirstAndKeepsEquals) {
  const SampleFacts facts = facts_of_answers({0.5, 0.1, 0.5, 0.1, 0.0}, {1, 1, 1, 1, 1});
  EXPECT_EQ(order_by_certainty(facts, Certainty::kEntropy), (Order{4, 1, 3, 0, 2}));
  // Most confident is not always least entropic.
  const SampleFacts rows =
      facts_of_rows({{0.6, 0.2, 0.2}, {0.55, 0.45, 0.0}, {0.6, 0.2, 0.2}}, {0, 0, 0});
  EXPECT_EQ(order_by_certainty(rows, Certainty::kConfidence), (Order{0, 2, 1}));
  EXPECT_EQ(order_by_certainty(rows, Certainty::kEntropy), (Order{1, 0, 2}));
}

TEST(RiskCoverage, IsTheHandExample) {
  const SampleFacts facts = facts_of_answers({0.3, 0.1, 0.4, 0.2}, {1, 1, 0, 0});
  const std::vector<double> risk = risk_coverage(facts, Certainty::kEntropy);
  EXPECT_EQ(risk, (std::vector<double>{0.0, 1.0 / 2, 1.0 / 3, 1.0 / 2}));
  EXPECT_NEAR(area_under_risk_coverage(facts), (0.5 + 1.0 / 3 + 0.5) / 4, 1e-15);
}

TEST(RiskCoverage, RunsFromPerfectToHopeless) {
  const SampleFacts right = facts_of_answers({0.3, 0.1}, {1, 1});
  EXPECT_EQ(area_under_risk_coverage(right), 0.0);
  const SampleFacts wrong = facts_of_answers({0.3, 0.1}, {0, 0});
  EXPECT_EQ(area_under_risk_coverage(wrong), 1.0);
}

TEST(RiskCoverage, TakesEqualsInTheOrderOfTheFile) {
  const SampleFacts facts = facts_of_answers({0.1, 0.2, 0.2, 0.2}, {1, 1, 0, 0});
  const std::vector<double> risk = risk_coverage(facts, Certainty::kEntropy);
  EXPECT_EQ(risk, (std::vector<double>{0.0, 0.0, 1.0 / 3, 2.0 / 4}));
  EXPECT_EQ(area_under_risk_coverage(facts), area_under_risk_coverage(risk));
}

TEST(RiskCoverage, CountsResampledSamples) {
  const SampleFacts facts = facts_of_answers({0.1, 0.2, 0.3}, {1, 0, 1});
  const std::vector<std::uint32_t> counts{1, 2, 0};
  EXPECT_NEAR(area_under_risk_coverage(facts, SampleCounts(counts)), (0.0 + 1.0 / 2 + 2.0 / 3) / 3,
              1e-15);
}

TEST(AccuracyAtCoverage, AnswersTheMostCertain) {
  const std::vector<double> risk{0.0, 1.0 / 2, 1.0 / 3, 1.0 / 2};
  EXPECT_EQ(accuracy_at_coverage(risk, 0.25), 1.0);
  EXPECT_EQ(accuracy_at_coverage(risk, 0.26), 0.5);
  EXPECT_EQ(accuracy_at_coverage(risk, 0.5), 0.5);
  EXPECT_NEAR(accuracy_at_coverage(risk, 0.75), 2.0 / 3, 1e-15);
  EXPECT_EQ(accuracy_at_coverage(risk, 1.0), 0.5);
  EXPECT_EQ(accuracy_at_coverage(risk, 1e-6), 1.0);
}

TEST(AccuracyAtCoverage, IsNotMisledByRounding) {
  std::vector<double> risk;
  for (int i = 0; i < 10; ++i) risk.push_back(0.1 * i);
  EXPECT_NEAR(accuracy_at_coverage(risk, 0.7), 1 - 0.6, 1e-15);
  EXPECT_NEAR(accuracy_at_coverage(risk, 0.1 + 0.2), 1 - 0.2, 1e-15);
}

TEST(AccuracyAtCoverage, RefusesWhatIsNoCoverage) {
  expect_error<ArgumentError>([] { accuracy_at_coverage({0.0}, 0.0); },
                              "coverage must be a positive number, not 0");
  expect_error<ArgumentError>([] { accuracy_at_coverage({0.0}, 1.5); },
                              "coverage must be in [0, 1], not 1.5");
}

TEST(CoverageAtRisk, IsTheLargestThatKeepsTheTarget) {
  const std::vector<double> risk{0.0, 1.0 / 2, 1.0 / 3, 1.0 / 2};
  EXPECT_EQ(coverage_at_risk(risk, 0.0), 0.25);
  EXPECT_EQ(coverage_at_risk(risk, 1.0 / 3), 0.75);
  EXPECT_EQ(coverage_at_risk(risk, 0.4), 0.75);
  EXPECT_EQ(coverage_at_risk(risk, 0.5), 1.0);
  EXPECT_FALSE(coverage_at_risk({1.0, 0.5, 2.0 / 3}, 0.4).has_value());
  // A wrong answer among the most certain does not rule out a larger coverage.
  EXPECT_EQ(coverage_at_risk({1.0, 0.5, 1.0 / 3}, 0.4), 1.0);
  expect_error<ArgumentError>([&] { coverage_at_risk(risk, -0.1); },
                              "the risk target must be in [0, 1], not -0.1");
}

}  // namespace
}  // namespace cubcal
