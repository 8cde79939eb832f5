#include "cubcal/evaluation/comparison.h"

#include <gtest/gtest.h>

namespace cubcal {
namespace {

Comparison with_p(std::optional<double> accuracy) {
  Comparison comparison;
  comparison.file = "b.npz";
  comparison.paired.p_values[Metric::kAccuracy] = accuracy;
  return comparison;
}

TEST(Comparison, ModelsAreCalledByLetters) {
  EXPECT_EQ(model_name(0), "A");
  EXPECT_EQ(model_name(25), "Z");
  EXPECT_EQ(model_name(26), "AA");
  EXPECT_EQ(model_name(26 + 27), "BB");
}

TEST(Comparison, PValuesAreAdjustedOverTheModels) {
  std::vector<Comparison> others = {with_p(0.01), with_p(std::nullopt), with_p(0.04), with_p(0.03)};
  adjust_p_values(others);
  EXPECT_NEAR(*others[0].holm[Metric::kAccuracy], 0.03, 1e-15) << "of three: 3 * 0.01";
  EXPECT_FALSE(others[1].holm[Metric::kAccuracy]) << "what is not defined is not counted";
  EXPECT_NEAR(*others[2].holm[Metric::kAccuracy], 0.06, 1e-15) << "not below that of 0.03";
  EXPECT_NEAR(*others[3].holm[Metric::kAccuracy], 0.06, 1e-15) << "2 * 0.03";
  EXPECT_FALSE(others[0].holm[Metric::kNll]);
}

TEST(Comparison, OfTwoModelsHasNoListOfComparisons) {
  ComparisonResult result;
  result.matched_by = "files";
  result.samples = 7;
  result.values_a[Metric::kAccuracy] = 0.5;
  result.others = {with_p(0.25)};
  result.others[0].values[Metric::kAccuracy] = 0.75;
  result.others[0].paired.difference[Metric::kAccuracy] = 0.25;
  auto json = comparison_json(result);
  EXPECT_EQ(json["samples"], 7);
  EXPECT_EQ(json["a"]["accuracy"], 0.5);
  EXPECT_EQ(json["b"]["accuracy"], 0.75);
  EXPECT_EQ(json["difference"]["accuracy"], 0.25);
  EXPECT_EQ(json["p_values"]["accuracy"], 0.25);
  EXPECT_TRUE(json["intervals"]["accuracy"].is_null());
  EXPECT_FALSE(json.contains("comparisons"));

  result.others.push_back(with_p(0.5));
  adjust_p_values(result.others);
  json = comparison_json(result);
  ASSERT_EQ(json["comparisons"].size(), 2U);
  EXPECT_EQ(json["comparisons"][0]["file"], "b.npz");
  EXPECT_EQ(json["comparisons"][0]["holm_p_values"]["accuracy"], 0.5);
  EXPECT_EQ(json["b"]["accuracy"], 0.75) << "the first of them stays where it was";
}

}  // namespace
}  // namespace cubcal
