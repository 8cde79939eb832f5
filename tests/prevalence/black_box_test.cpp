#include "cubcal/prevalence/black_box.h"

#include <gtest/gtest.h>

#include "metrics/predictive_rows.h"

namespace cubcal {
namespace {

/// So many samples of each label and answer, rows the labels.
SampleFacts facts_of_confusion(const std::vector<std::vector<int>>& confusion) {
  std::vector<std::vector<double>> rows;
  std::vector<std::int64_t> labels;
  const std::size_t classes = confusion.size();
  for (std::size_t label = 0; label < classes; ++label) {
    for (std::size_t answer = 0; answer < classes; ++answer) {
      for (int copy = 0; copy < confusion[label][answer]; ++copy) {
        std::vector<double> row(classes, 0.1 / static_cast<double>(classes - 1));
        row[answer] = 0.9;
        rows.push_back(row);
        labels.push_back(static_cast<std::int64_t>(label));
      }
    }
  }
  return test::facts_of_rows(rows, labels);
}

// Sensitivity 0.8, specificity 0.9: answered 1 in 0.8 q + 0.1 (1 - q), Rogan and Gladen's estimate.
TEST(BlackBox, OfTwoClassesIsRoganAndGladens) {
  const CountedConfusion confusion(facts_of_confusion({{9, 1}, {2, 8}}));
  const auto estimate = black_box_prevalence(confusion, {0.69, 0.31});
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->prevalence[1], (0.31 - 0.1) / 0.7, 1e-12);
  // The inverse of (0.9 0.2; 0.1 0.8) is (0.8 -0.2; -0.1 0.9) / 0.7.
  EXPECT_NEAR(estimate->condition, 1.1 / 0.7, 1e-12);
}

TEST(BlackBox, WhatIsBelowZeroIsZero) {
  const CountedConfusion confusion(facts_of_confusion({{9, 1}, {2, 8}}));
  const auto estimate = black_box_prevalence(confusion, {0.95, 0.05});
  ASSERT_TRUE(estimate);
  EXPECT_LT(estimate->raw[1], 0);
  EXPECT_NEAR(estimate->raw[0] + estimate->raw[1], 1, 1e-12);
  EXPECT_EQ(estimate->prevalence, (ClassShares{1, 0}));
}

TEST(BlackBox, ThereIsNoneOfASingularMatrixOrAMissingClass) {
  EXPECT_FALSE(
      black_box_prevalence(CountedConfusion(facts_of_confusion({{5, 5}, {5, 5}})), {0.5, 0.5}));
  EXPECT_FALSE(
      black_box_prevalence(CountedConfusion(facts_of_confusion({{5, 5}, {0, 0}})), {0.5, 0.5}));
}

// The first pivot is 0: rows must be exchanged.
TEST(BlackBox, PivotsWhereItMust) {
  const CountedConfusion confusion(facts_of_confusion({{0, 6, 4}, {10, 0, 0}, {0, 2, 8}}));
  const ClassShares q{0.2, 0.5, 0.3};
  const ClassShares answers{0.5, 0.6 * 0.2 + 0.2 * 0.3, 0.4 * 0.2 + 0.8 * 0.3};
  const auto estimate = black_box_prevalence(confusion, answers);
  ASSERT_TRUE(estimate);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(estimate->prevalence[k], q[k], 1e-12);
}

}  // namespace
}  // namespace cubcal
