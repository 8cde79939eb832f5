#include "cubcal/plot/layout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/plot/occupancy.h"

namespace cubcal::plot {
namespace {

TEST(SpreadApart, LeavesLabelsThatDoNotOverlap) {
  EXPECT_EQ(spread_apart({10, 50, 90}, {20, 20, 20}, 0, 100), (std::vector<double>{10, 50, 90}));
}

TEST(SpreadApart, SeparatesNeighboursAndStaysInside) {
  const std::vector<double> places = spread_apart({95, 96, 96, 20}, {20, 20, 20, 20}, 0, 100);
  EXPECT_EQ(places[3], 20);
  EXPECT_LE(places[0], places[1]);
  EXPECT_LE(places[1], places[2]);
  EXPECT_NEAR(places[1] - places[0], 20, 0.5);
  EXPECT_NEAR(places[2] - places[1], 20, 0.5);
  EXPECT_LE(places[2], 90.5);
}

Chart diagonal(bool rising) {
  ChartOptions options;
  options.x_min = 0;
  options.x_max = 1;
  options.y_min = 0;
  options.y_max = 1;
  Chart chart(options);
  chart.line({"diagonal", {0, 1}, rising ? std::vector<double>{0, 1} : std::vector<double>{1, 0}});
  return chart;
}

TEST(Legend, GoesToAFreeCorner) {
  const Chart falling = diagonal(false);
  const Layout right = lay_out(falling.options(), falling.elements());
  ASSERT_TRUE(right.legend && right.legend->inside);
  EXPECT_GT(right.legend->corner.x, 0.5 * (right.frame.left + right.frame.right));
  EXPECT_TRUE(
      Occupancy(right.frame, falling.elements()).is_free(right.legend->corner, right.legend->size));

  const Chart rising = diagonal(true);
  const Layout left = lay_out(rising.options(), rising.elements());
  ASSERT_TRUE(left.legend && left.legend->inside);
  EXPECT_LT(left.legend->corner.x, 0.5 * (left.frame.left + left.frame.right));
  EXPECT_LT(left.legend->corner.y, 0.5 * (left.frame.top + left.frame.bottom));
}

TEST(Legend, GoesBelowWhenNoCornerIsFree) {
  Chart chart = diagonal(true);
  chart.band({"everything", {0, 1}, {0, 0}, {1, 1}});
  const Layout layout = lay_out(chart.options(), chart.elements());
  ASSERT_TRUE(layout.legend);
  EXPECT_FALSE(layout.legend->inside);
  EXPECT_GT(layout.legend->corner.y, layout.frame.bottom);
  EXPECT_LE(layout.legend->corner.y + layout.legend->size.height, chart.options().height);
}

TEST(Legend, LeavesOutSeriesThatDoNotWantToBeIn) {
  Chart chart;
  chart.line({"shown", {0, 1}, {0, 1}});
  LineSeries hidden{"hidden", {0, 1}, {1, 0}};
  hidden.in_legend = false;
  chart.line(hidden);
  chart.line({"", {0, 1}, {1, 1}});
  ASSERT_EQ(legend_entries(chart.elements()).size(), 1U);
}

TEST(Layout, KeepsTheFrameInsideTheChart) {
  ChartOptions options;
  options.title = "A title of many words that takes more than one line in so small a chart";
  options.x_label = "x";
  options.y_label = "y";
  options.width = 300;
  Chart chart(options);
  chart.line({"large", {0, 1e5}, {-1e5, 1e5}});
  chart.reference({Direction::kHorizontal, 0, "*\u03B7* = 0.325"});
  const Layout layout = lay_out(options, chart.elements());
  EXPECT_GT(layout.title.size(), 1U);
  EXPECT_GT(layout.frame.left, text_width(layout.y_ticks.labels.back(), kTickSize));
  EXPECT_LT(layout.frame.right + text_width("*\u03B7* = 0.325", kRemarkSize), options.width);
}

TEST(Layout, RefusesAChartWithoutRoom) {
  ChartOptions options;
  options.width = 160;
  options.height = 120;
  options.title = "A title of many words that takes more than one line in so small a chart";
  Chart chart(options);
  try {
    chart.svg();
    FAIL() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(),
                 "a chart of 160 by 120 pixels has no room for its labels: make it larger");
  }
}

TEST(Layout, RefusesARangeThatIsNotFinite) {
  Chart chart;
  chart.line({"huge", {0, 1}, {-1.7e308, 1.7e308}});
  EXPECT_THROW(chart.svg(), ArgumentError);
}

}  // namespace
}  // namespace cubcal::plot
