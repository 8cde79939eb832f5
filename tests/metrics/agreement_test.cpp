#include "cubcal/metrics/agreement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "metrics/predictive_rows.h"

namespace cubcal {
namespace {

/// Samples of two classes: tp, fn, fp and tn of class 1.
SampleFacts facts_of_table(int tp, int fn, int fp, int tn) {
  std::vector<std::vector<double>> rows;
  std::vector<std::int64_t> labels;
  const auto add = [&](int count, std::int64_t label, int answer) {
    for (int i = 0; i < count; ++i) {
      labels.push_back(label);
      rows.push_back(answer == 1 ? std::vector<double>{0.3, 0.7} : std::vector<double>{0.7, 0.3});
    }
  };
  add(tp, 1, 1);
  add(fn, 1, 0);
  add(fp, 0, 1);
  add(tn, 0, 0);
  return test::facts_of_rows(rows, labels);
}

TEST(Agreement, OfATextbookTable) {
  const CountedConfusion confusion(facts_of_table(20, 5, 10, 15));
  EXPECT_EQ(confusion.cell(1, 1), 20);
  EXPECT_EQ(confusion.cell(1, 0), 5);
  EXPECT_EQ(confusion.labelled(0), 25);
  EXPECT_EQ(confusion.answered(1), 30);
  EXPECT_EQ(confusion.total(), 50);
  EXPECT_NEAR(*cohen_kappa(confusion, KappaWeights::kEqual), 0.4, 1e-12);
  EXPECT_NEAR(*cohen_kappa(confusion, KappaWeights::kQuadratic), 0.4, 1e-12) << "of two classes";
  EXPECT_NEAR(*matthews_correlation(confusion), (20 * 15 - 10 * 5) / std::sqrt(30.0 * 25 * 25 * 20),
              1e-12);
}

TEST(Agreement, UndefinedWhereThereIsOneClass) {
  const CountedConfusion all_right(facts_of_table(10, 0, 0, 0));
  EXPECT_FALSE(cohen_kappa(all_right, KappaWeights::kEqual));
  EXPECT_FALSE(matthews_correlation(all_right));
  const CountedConfusion one_answer(facts_of_table(10, 0, 5, 0));
  EXPECT_NEAR(*cohen_kappa(one_answer, KappaWeights::kEqual), 0, 1e-12) << "no better than chance";
  EXPECT_FALSE(matthews_correlation(one_answer));
}

TEST(Agreement, QuadraticKappaWeighsByDistance) {
  // Labels 0, 1, 2 each answered one grade too high or (for 2) two too low.
  const SampleFacts facts = test::facts_of_rows(
      {{0.1, 0.8, 0.1}, {0.1, 0.1, 0.8}, {0.8, 0.1, 0.1}, {0.8, 0.1, 0.1}}, {0, 1, 2, 0});
  double observed = 0;
  double expected = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double own = static_cast<double>(facts.labels[i]) - facts.predicted[i];
    observed += own * own / 4;
    for (std::size_t j = 0; j < 4; ++j) {
      const double other = static_cast<double>(facts.labels[i]) - facts.predicted[j];
      expected += other * other / 16;
    }
  }
  EXPECT_NEAR(*cohen_kappa(CountedConfusion(facts), KappaWeights::kQuadratic),
              1 - observed / expected, 1e-12);
}

}  // namespace
}  // namespace cubcal
