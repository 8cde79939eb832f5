#include "cubcal/metrics/classification.h"

#include <gtest/gtest.h>

#include <cmath>

#include "metrics/predictive_rows.h"

namespace cubcal {
namespace {

using test::facts_of_rows;

/// A row that predicts `k` of four classes.
std::vector<double> row(std::size_t k) {
  std::vector<double> p(4, 0.1);
  p[k] = 0.7;
  return p;
}

// Labels 0 0 0 2 2, predicted 0 0 1 2 0; classes 1 and 3 have no samples, 3 is never predicted.
SampleFacts five_answers() {
  return facts_of_rows({row(0), row(0), row(1), row(2), row(0)}, {0, 0, 0, 2, 2});
}

TEST(Accuracy, IsTheShareOfRightAnswers) { EXPECT_NEAR(accuracy(five_answers()), 3.0 / 5, 1e-15); }

TEST(BalancedAccuracy, LeavesOutClassesWithoutSamples) {
  EXPECT_NEAR(balanced_accuracy(five_answers()), (2.0 / 3 + 1.0 / 2) / 2, 1e-15);
}

TEST(BalancedAccuracy, LeavesOutClassesThatWereNotDrawn) {
  const std::vector<std::uint32_t> counts{1, 1, 1, 0, 0};
  EXPECT_NEAR(balanced_accuracy(five_answers(), SampleCounts(counts)), 2.0 / 3, 1e-15);
}

TEST(NegativeLogLikelihood, IsTheMeanOfTheLabelsLogarithms) {
  EXPECT_NEAR(negative_log_likelihood(five_answers()), -(3 * std::log(0.7) + 2 * std::log(0.1)) / 5,
              1e-15);
}

TEST(NegativeLogLikelihood, SurvivesAnImpossibleLabel) {
  EXPECT_NEAR(negative_log_likelihood(facts_of_rows({{1, 0}, {1, 0}}, {0, 1})), 6 * std::log(10.0),
              1e-13);
}

TEST(Brier, RunsFromZeroToTwo) {
  EXPECT_EQ(brier_score(facts_of_rows({{1, 0}}, {0})), 0.0);
  EXPECT_EQ(brier_score(facts_of_rows({{1, 0}}, {1})), 2.0);
  EXPECT_NEAR(brier_score(facts_of_rows({{0.5, 0.5}}, {1})), 0.5, 1e-16);
}

TEST(ConfusionMatrix, CountsLabelsByPrediction) {
  EXPECT_EQ(confusion_matrix(five_answers()),
            (std::vector<std::uint64_t>{2, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0}));
}

TEST(ClassTable, LeavesWhatHasNoSamplesUndefined) {
  const std::vector<ClassRow> table = class_table(five_answers());
  ASSERT_EQ(table.size(), 4U);
  EXPECT_EQ(table[0].support, 3U);
  EXPECT_EQ(table[0].predicted, 3U);
  EXPECT_NEAR(table[0].recall.value(), 2.0 / 3, 1e-15);
  EXPECT_NEAR(table[0].precision.value(), 2.0 / 3, 1e-15);
  EXPECT_NEAR(table[0].f1.value(), 2.0 / 3, 1e-15);
  EXPECT_NEAR(table[0].mean_confidence.value(), 0.7, 1e-15);
  EXPECT_NEAR(table[0].mean_uncertainty.value(), -0.7 * std::log(0.7) - 0.3 * std::log(0.1), 1e-15);
  EXPECT_EQ(table[1].support, 0U);
  EXPECT_FALSE(table[1].recall.has_value());
  EXPECT_EQ(table[1].precision, 0.0);
  EXPECT_EQ(table[1].f1, 0.0);
  EXPECT_FALSE(table[1].mean_confidence.has_value());
  EXPECT_NEAR(table[2].recall.value(), 0.5, 1e-15);
  EXPECT_NEAR(table[2].precision.value(), 1.0, 1e-15);
  EXPECT_NEAR(table[2].f1.value(), 2.0 / 3, 1e-15);
  EXPECT_FALSE(table[3].recall.has_value());
  EXPECT_FALSE(table[3].precision.has_value());
  EXPECT_FALSE(table[3].f1.has_value());
}

}  // namespace
}  // namespace cubcal
