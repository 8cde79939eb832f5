#include "cubcal/results/price_chart.h"

#include <gtest/gtest.h>

namespace cubcal::results {
namespace {

const plot::LineSeries* curve_of(const plot::Chart& chart) {
  for (const plot::Element& element : chart.elements()) {
    if (const auto* line = std::get_if<plot::LineSeries>(&element)) return line;
  }
  return nullptr;
}

TEST(PriceChart, SettingsLieOnACurveByTheirMeanAvu) {
  const plot::Chart chart = price_chart("NLL", {{"BNN", false, {{0.5}, {0.6}, {1}}},
                                                {"large", true, {{0.9, 1.1}, {0.8, 0.9}, {1, 2}}},
                                                {"small", true, {{0.6, 0.8}, {0.7, 0.7}, {2, 1}}},
                                                {"none", true, {}}});
  EXPECT_EQ(chart.elements().size(), 4U) << "the curve and three methods with runs";
  const plot::LineSeries* curve = curve_of(chart);
  ASSERT_NE(curve, nullptr);
  EXPECT_EQ(curve->x, (std::vector<double>{0.7, 1.0}));
  EXPECT_NEAR(curve->y[1], 0.85, 1e-12);
}

TEST(PriceChart, OneSettingIsNoCurve) {
  EXPECT_EQ(curve_of(price_chart(
                "NLL", {{"BNN", false, {{0.5}, {0.6}, {1}}}, {"CUB", true, {{1}, {1}, {1}}}})),
            nullptr);
}

TEST(PriceChart, SettingsAreComparedOnTheSeedsAllOfThemHave) {
  const plot::Chart chart = price_chart("NLL", {{"a", true, {{1}, {0.6}, {1}}},
                                                {"b", true, {{2}, {0.7}, {1}}},
                                                {"c", true, {{3, 9}, {0.8, 0.9}, {1, 2}}}});
  ASSERT_NE(curve_of(chart), nullptr);
  EXPECT_EQ(curve_of(chart)->x, (std::vector<double>{1, 2, 3}));
}

TEST(PriceChart, ASettingOfFewSeedsDoesNotTakeTheOthersFromTheCurve) {
  const plot::Chart chart =
      price_chart("NLL", {{"a", true, {{1, 1, 4}, {0.6, 0.6, 0.6}, {1, 2, 3}}},
                          {"b", true, {{2}, {0.7}, {1}}},
                          {"c", true, {{3, 3, 6}, {0.8, 0.8, 0.8}, {1, 2, 3}}}});
  ASSERT_NE(curve_of(chart), nullptr);
  EXPECT_EQ(curve_of(chart)->x, (std::vector<double>{2, 4}));
}

TEST(PriceChart, ACurveIsDrawnWhereverTwoSettingsShareASeed) {
  const plot::Chart few = price_chart("NLL", {{"a", true, {{1, 1, 1}, {0.6, 0.6, 0.6}, {1, 2, 3}}},
                                              {"b", true, {{2}, {0.7}, {1}}}});
  ASSERT_NE(curve_of(few), nullptr);
  EXPECT_EQ(curve_of(few)->x, (std::vector<double>{1, 2}));
  const plot::Chart other = price_chart("NLL", {{"a", true, {{1}, {0.6}, {1}}},
                                                {"b", true, {{2}, {0.7}, {1}}},
                                                {"c", true, {{3}, {0.8}, {2}}}});
  ASSERT_NE(curve_of(other), nullptr);
  EXPECT_EQ(curve_of(other)->x, (std::vector<double>{1, 2}));
  EXPECT_EQ(curve_of(price_chart("NLL", {{"a", true, {{1}, {0.6}, {1}}},
                                         {"b", true, {{2}, {0.7}, {std::nullopt}}}})),
            nullptr)
      << "a seed that is not known is not the same";
}

TEST(PriceChart, AMethodsLineUnderOneTemperatureHasItsColourAndFitsTheAxes) {
  const PricedMethod plain{
      "BNN", false, {{0.5, 0.7}, {0.6, 0.6}, {1, 2}}, {{{0.45}, {0.5}, {1}}, {{0.9}, {0.8}, {1}}}};
  const plot::Chart chart = price_chart("NLL", {plain, {"CUB", false, {{0.6}, {0.7}, {1}}}});
  const plot::LineSeries* line = curve_of(chart);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->name, "BNN, one temperature (1 of 2 runs)");
  EXPECT_EQ(line->x, (std::vector<double>{0.45, 0.9}));
  EXPECT_EQ(line->y, (std::vector<double>{0.5, 0.8}));
  const auto* discs = std::get_if<plot::ScatterSeries>(&chart.elements()[1]);
  ASSERT_NE(discs, nullptr);
  EXPECT_EQ(discs->colour, line->colour);
  EXPECT_GT(*chart.options().x_max, 0.9);
  EXPECT_GT(*chart.options().y_max, 0.8);
}

TEST(PriceChart, AMethodKeepsItsColourWhereAnotherHasNoRuns) {
  const auto colour_of_last = [](const plot::Chart& chart) {
    return std::get<plot::ScatterSeries>(chart.elements().back()).colour;
  };
  EXPECT_EQ(colour_of_last(
                price_chart("ECE", {{"A", false, {{1}, {1}, {1}}}, {"B", false, {{1}, {1}, {1}}}})),
            colour_of_last(price_chart("NLL", {{"A"}, {"B", false, {{1}, {1}, {1}}}})));
}

TEST(PriceChart, ASettingIsNamedAfterItsMethod) {
  EXPECT_TRUE(is_setting_of("bnn+cub", "bnn+cub"));
  EXPECT_TRUE(is_setting_of("bnn+cub", "bnn+cub-beta0.04"));
  EXPECT_TRUE(is_setting_of("bnn+cub", "bnn"));
  EXPECT_FALSE(is_setting_of("bnn", "bnn+cub"));
  EXPECT_FALSE(is_setting_of("bnn+cub", "bnn+avuc"));
}

}  // namespace
}  // namespace cubcal::results
