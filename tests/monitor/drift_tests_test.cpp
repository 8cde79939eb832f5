#include "cubcal/monitor/drift_tests.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "monitor/random_predictions.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::random_predictions;

TEST(DriftTests, WhatIsTheSameIsNoDrift) {
  const Predictions same = random_predictions(1, 50, 2);
  for (const DriftResult& result : drift_tests(same, same, 3, {}, 0)) {
    EXPECT_EQ(result.statistic, 0);
    EXPECT_EQ(result.p, 1);
    EXPECT_EQ(result.permutations, 20U);
  }
}

TEST(DriftTests, ADriftIsFoundAndCostsAllPermutations) {
  DriftOptions options;
  options.permutations = 999;
  const auto results =
      drift_tests(random_predictions(1, 300, 1), random_predictions(2, 300, 1, 1), 3, options, 0);
  ASSERT_EQ(results.size(), 4U);
  for (const DriftResult& result : results) {
    if (result.test == DriftTest::kClasses) {
      EXPECT_GT(result.p, 0.05);
      continue;
    }
    EXPECT_EQ(result.p, 0.001) << drift_test_title(result.test);
    EXPECT_EQ(result.permutations, 999U);
  }
}

TEST(DriftTests, TwoClassesAndFlagsDecideWhatIsTested) {
  EXPECT_EQ(possible_tests(2, false).size(), 3U);
  EXPECT_EQ(possible_tests(3, false).size(), 4U);
  EXPECT_EQ(possible_tests(3, true).size(), 5U);
  Predictions reference = random_predictions(1, 30, 1);
  Predictions period = random_predictions(2, 30, 1);
  reference.outside.assign(30, 0);
  EXPECT_EQ(drift_tests(reference, period, 3, {}, 0).size(), 4U);
  period.outside.assign(30, 1);
  const auto results = drift_tests(reference, period, 3, {}, 0);
  ASSERT_EQ(results.size(), 5U);
  EXPECT_EQ(results.back().statistic, 1);
  EXPECT_LT(results.back().p, 0.001);
}

TEST(DriftTests, OneAgainstOneIsPossible) {
  const auto results =
      drift_tests(random_predictions(1, 1, 1), random_predictions(2, 1, 1), 3, {}, 0);
  for (const DriftResult& result : results) EXPECT_GT(result.p, 0.4);
  test::expect_error<DataError>([] { drift_tests(random_predictions(1, 1, 1), {}, 3, {}, 0); },
                                "one side has none");
}

TEST(DriftTests, TheSameForAnyNumberOfThreads) {
  const auto p_values = [](std::size_t threads) {
    const test::Threads scope(threads);
    std::vector<double> p;
    for (const DriftResult& each :
         drift_tests(random_predictions(1, 40, 2), random_predictions(2, 40, 2), 3, {}, 5)) {
      p.push_back(each.p);
    }
    return p;
  };
  EXPECT_EQ(p_values(1), p_values(3));
}

}  // namespace
}  // namespace cubcal
