#include "cubcal/conformal.h"

#include <gtest/gtest.h>

#include "expect_error.h"
#include "metrics/predictive_rows.h"

namespace cubcal::test {
namespace {

/// Nine samples of class 0 with 1 - p_0 = 0.05, 0.1, ..., 0.45.
Predictive nine_scores() {
  std::vector<std::vector<double>> rows;
  for (int i = 1; i <= 9; ++i) rows.push_back({1 - 0.05 * i, 0.03 * i, 0.02 * i});
  return predictive_rows(rows);
}

const std::vector<std::int64_t> kZeros(9, 0);

// With alpha = 0.2 the threshold is the 8th of nine scores, 0.4: classes of p >= 0.6.
TEST(SetsOfArrays, ByHand) {
  SetOptions options;
  options.alpha = 0.2;
  const SetPredictor predictor = fit_sets(nine_scores(), kZeros, options);
  const std::vector<ClassSet> sets =
      predictor.sets(predictive_rows({{0.61, 0.2, 0.19}, {0.59, 0.41, 0}, {0.1, 0.2, 0.7}}));
  EXPECT_EQ(sets, (std::vector<ClassSet>{{0}, {}, {2}}));

  const SetCoverage coverage = set_coverage(sets, {0, 0, 1});
  EXPECT_EQ(coverage.covered.count, 1u);
  EXPECT_EQ(coverage.covered.of, 3u);
  EXPECT_NEAR(coverage.covered.low, 0.0084, 5e-5);  // Clopper and Pearson's of 1 in 3
  EXPECT_NEAR(coverage.covered.high, 0.9057, 5e-5);
  EXPECT_EQ(coverage.single.count, 2u);
  EXPECT_EQ(coverage.single_right.count, 1u);
  EXPECT_EQ(coverage.empty.count, 1u);
  EXPECT_NEAR(coverage.mean_size, 2.0 / 3, 1e-15);
}

TEST(SetsOfArrays, AnUnknownGroupKeepsEveryClass) {
  SetOptions options;
  options.alpha = 0.2;
  const SetPredictor predictor =
      fit_sets(nine_scores(), kZeros, options, std::vector<std::string>(9, "north"));
  const Predictive sure = predictive_rows({{0.9, 0.1, 0}, {0.9, 0.1, 0}});
  EXPECT_EQ(predictor.sets(sure, {"north", "south"}), (std::vector<ClassSet>{{0}, {0, 1, 2}}));
}

TEST(SetsOfArrays, RefusesWhatMakesNoSense) {
  SetOptions options;
  options.score = "best";
  expect_error<ArgumentError>([&] { fit_sets(nine_scores(), kZeros, options); }, "lac, aps");
  options = {};
  options.alpha = 1;
  expect_error<ArgumentError>([&] { fit_sets(nine_scores(), kZeros, options); }, "alpha");
  expect_error<DataError>([] { fit_sets(nine_scores(), {0}); }, "1 labels");
  expect_error<DataError>([] { fit_sets(nine_scores(), std::vector<std::int64_t>(9, 3)); },
                          "sample 0 has 3");
  expect_error<DataError>(
      [] {
        fit_sets(nine_scores(), kZeros).sets(predictive_rows({{1, 0}}));
      },
      "3 classes");
  expect_error<DataError>([] { set_coverage({{0}, {1}}, {0}); }, "1 labels");
  expect_error<DataError>([] { set_coverage({{0}}, {-1}); }, "sample 0 has -1");
}

}  // namespace
}  // namespace cubcal::test
