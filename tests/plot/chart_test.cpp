#include "cubcal/plot/chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>

#include "cubcal/core/error.h"
#include "plot/xml_document.h"

namespace cubcal::plot {
namespace {

/// A chart with every kind of element.
Chart full_chart() {
  ChartOptions options;
  options.title = "All of *it*";
  options.description = "Every kind of element once";
  options.x_label = "confidence *c*";
  options.y_label = "*U*_{max}";
  Chart chart(options);
  HeatMap map;
  map.name = "heat";
  map.rows = 2;
  map.columns = 3;
  map.values = {1, 2, 3, 4, 5, 6};
  map.show_values = true;
  chart.heat_map(map);
  chart.band({"band", {0, 1, 2}, {0, 0.1, 0.2}, {1, 1.1, 1.2}});
  chart.region({"region", {0, 1, 1}, {0, 0, 1}});
  chart.bars({"bars", {0, 1}, {0.9, 1.9}, {0.5, 0.7}});
  ReliabilitySeries reliability;
  reliability.name = "accuracy";
  reliability.gap_name = "gap";
  reliability.edges = {0, 0.5, 1};
  reliability.observed = {NAN, 0.8};
  reliability.expected = {NAN, 0.9};
  reliability.count = {0, 7};
  chart.reliability(reliability);
  DensitySeries density;
  density.name = "density";
  density.values = {0.1, 0.2, 0.4};
  chart.density(density);
  chart.line({"line", {0, 1, 2}, {0, 1, 0}, Colour::kAuto, Stroke::kDashed});
  chart.scatter({"scatter", {0, 1}, {1, 0}});
  chart.reference({Direction::kVertical, 0.9, "*\u03B3*"});
  chart.reference({Direction::kHorizontal, 0.3, "*\u03B7*"});
  Annotation note;
  note.text = "note";
  note.target_x = 1;
  note.target_y = 1;
  chart.annotate(note);
  return chart;
}

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no ArgumentError";
}

TEST(Chart, IsWellFormedAndAccessible) {
  const XmlElement root = parse_xml(full_chart().svg());
  EXPECT_EQ(root.name, "svg");
  EXPECT_EQ(root.attributes.at("xmlns"), "http://www.w3.org/2000/svg");
  EXPECT_EQ(root.attributes.at("class"), "cubcal-plot");
  EXPECT_EQ(root.attributes.at("viewBox"), "0 0 440 340");
  EXPECT_EQ(root.attributes.at("role"), "img");
  ASSERT_GE(root.children.size(), 2U);
  EXPECT_EQ(root.children[0].name, "title");
  EXPECT_EQ(root.children[0].text, "All of it");
  EXPECT_EQ(root.children[1].name, "desc");
  EXPECT_EQ(root.children[1].text, "Every kind of element once");
  EXPECT_EQ(root.attributes.at("aria-labelledby"),
            root.children[0].attributes.at("id") + " " + root.children[1].attributes.at("id"));
}

TEST(Chart, WithNothingInItIsStillAChart) {
  const XmlElement root = parse_xml(Chart().svg());
  EXPECT_EQ(root.children[0].text, "Chart");
}

TEST(Chart, GivesTheSameBytesForTheSameInput) {
  EXPECT_EQ(full_chart().svg(), full_chart().svg());
  EXPECT_EQ(panels({full_chart(), full_chart()}, 2), panels({full_chart(), full_chart()}, 2));
}

TEST(Chart, EscapesEveryText) {
  const std::string evil = "<script>&\"'\x01\xFF";
  ChartOptions options;
  options.title = evil;
  options.description = evil;
  options.x_label = evil;
  options.y_label = evil;
  options.x_categories = {evil, evil};
  Chart chart(options);
  chart.line({evil, {0, 1}, {0, 1}});
  chart.reference({Direction::kVertical, 0.5, evil});
  Annotation note;
  note.text = evil;
  chart.annotate(note);
  const std::string svg = chart.svg();
  const XmlElement root = parse_xml(svg);
  EXPECT_TRUE(root.all("script").empty());
  EXPECT_EQ(root.children[0].text, "<script>&\"'\uFFFD\uFFFD");
}

TEST(Chart, CoordinatesHaveAtMostTwoDecimals) {
  Chart chart;
  LineSeries line{"line", {}, {}};
  for (int i = 0; i < 100; ++i) {
    line.x.push_back(i / 7.0);
    line.y.push_back(std::sin(i / 3.0));
  }
  chart.line(line);
  chart.scatter({"points", line.x, line.y});
  chart.band({"band", line.x, line.y, line.x});
  const std::string svg = chart.svg();
  EXPECT_FALSE(std::regex_search(svg.substr(svg.find("</style>")), std::regex("\\.[0-9]{3}")));
}

TEST(Chart, TenThousandPointsStaySmall) {
  ScatterSeries points{"points", {}, {}};
  for (int i = 0; i < 10000; ++i) {
    points.x.push_back(std::fmod(i * 0.6180339887, 1.0));
    points.y.push_back(std::fmod(i * 0.7548776662, 1.0));
  }
  Chart chart;
  chart.scatter(points);
  const std::string svg = chart.svg();
  EXPECT_LT(svg.size(), 250000U);
  std::size_t dots = 0;
  for (std::size_t at = svg.find("h0"); at != std::string::npos; at = svg.find("h0", at + 1))
    ++dots;
  EXPECT_EQ(dots, 10000U);
}

TEST(Chart, LongLinesStaySmall) {
  LineSeries line{"long", {}, {}};
  for (int i = 0; i < 200000; ++i) {
    line.x.push_back(i);
    line.y.push_back(std::sqrt(i));
  }
  Chart chart;
  chart.line(line);
  EXPECT_LT(chart.svg().size(), 60000U);
}

TEST(Chart, LeavesOutPointsBeyondTheAxes) {
  ChartOptions options;
  options.x_min = 0;
  options.x_max = 1;
  Chart chart(options);
  chart.scatter({"points", {0.5, 5.0, -1e300}, {0, 1, 2}});
  const std::string svg = chart.svg();
  EXPECT_NE(svg.find("h0"), std::string::npos);
  EXPECT_EQ(svg.find("h0"), svg.rfind("h0"));
}

TEST(Chart, NamesTheSeriesThatIsNotFinite) {
  Chart chart;
  EXPECT_EQ(message_of([&] {
              chart.line({"*U*_{max}", {0, 1}, {0, NAN}});
            }),
            "the y values of line \"U_max\" must be finite, not nan at index 1");
  EXPECT_EQ(message_of([&] {
              chart.band({"b", {0, INFINITY}, {0, 1}, {0, 1}});
            }),
            "the x values of band \"b\" must be finite, not inf at index 1");
  EXPECT_EQ(message_of([&] {
              chart.region({"r", {0, 1, 2}, {0, -INFINITY, 1}});
            }),
            "the y values of region \"r\" must be finite, not -inf at index 1");
  EXPECT_EQ(message_of([&] {
              chart.scatter({"s", {NAN}, {0}});
            }),
            "the x values of scatter \"s\" must be finite, not nan at index 0");
  EXPECT_EQ(message_of([&] {
              chart.bars({"x", {0}, {1}, {NAN}});
            }),
            "the tops of bars \"x\" must be finite, not nan at index 0");
  EXPECT_EQ(message_of([&] {
              chart.reference({Direction::kVertical, NAN, "*\u03B3*"});
            }),
            "the value of reference line \"\u03B3\" must be finite, not nan");
  DensitySeries density;
  density.name = "d";
  density.values = {0.5, NAN};
  EXPECT_EQ(message_of([&] { chart.density(density); }),
            "the values of density \"d\" must be finite, not nan at index 1");
  density.values = {-0.5};
  density.options.lower = 0;
  EXPECT_EQ(message_of([&] { chart.density(density); }),
            "the values of density \"d\" must be at least 0, not -0.5");
  HeatMap map;
  map.name = "h";
  map.rows = map.columns = 1;
  map.values = {NAN};
  EXPECT_EQ(message_of([&] { chart.heat_map(map); }),
            "the values of heat map \"h\" must be finite, not nan at index 0");
  Annotation note;
  note.text = "n";
  note.x = NAN;
  EXPECT_EQ(message_of([&] { chart.annotate(note); }),
            "the x of annotation \"n\" must be finite, not nan");
  EXPECT_TRUE(chart.elements().empty()) << "a refused series leaves no trace";
}

TEST(Chart, RefusesListsThatDoNotFit) {
  Chart chart;
  EXPECT_EQ(message_of([&] {
              chart.line({"l", {0, 1}, {0}});
            }),
            "the y values of line \"l\" must number 2, not 1");
  EXPECT_EQ(message_of([&] {
              chart.line({"l", {}, {}});
            }),
            "the points of line \"l\" must number at least 1, not 0");
  HeatMap map;
  map.name = "h";
  map.rows = map.columns = 2;
  map.values = {1, 2, 3};
  EXPECT_EQ(message_of([&] { chart.heat_map(map); }),
            "the values of heat map \"h\" must number 4, not 3");
  map.values = {1, 2, 3, 4};
  map.x_edges = {0, 2, 1};
  EXPECT_EQ(message_of([&] { chart.heat_map(map); }),
            "the x edges of heat map \"h\" must rise, but 2 is followed by 1");
  map.x_edges.clear();
  chart.heat_map(map);
  EXPECT_EQ(message_of([&] { chart.heat_map(map); }),
            "a chart holds one heat map, so \"h\" needs a chart of its own");
}

TEST(Chart, RefusesAxesThatDoNotRise) {
  ChartOptions options;
  options.x_min = 1;
  options.x_max = 1;
  EXPECT_EQ(message_of([&] { Chart chart(options); }),
            "the ends of the x axis must be rising, not 1 and 1");
  options.x_max = NAN;
  EXPECT_EQ(message_of([&] { Chart chart(options); }),
            "an end of the x axis must be a finite number, not nan");
  options = {};
  options.width = 10;
  EXPECT_EQ(message_of([&] { Chart chart(options); }),
            "the width of a chart must be in [160, 10000], not 10");
}

/// The cells of the heat map 0 1 2 / 3 4 5 by the value in their tooltip.
std::vector<const XmlElement*> cells_of(const XmlElement& root) {
  std::vector<const XmlElement*> cells;
  for (const XmlElement* rectangle : root.all("rect")) {
    if (rectangle->children.size() == 1) cells.push_back(rectangle);
  }
  return cells;
}

Chart small_heat_map(bool downwards) {
  ChartOptions options;
  options.y_downwards = downwards;
  Chart chart(options);
  HeatMap map;
  map.name = "heat";
  map.rows = 2;
  map.columns = 3;
  map.values = {0, 1, 2, 3, 4, 5};
  chart.heat_map(map);
  return chart;
}

TEST(HeatMapMarks, RowsGoUpAndColumnsGoRight) {
  const XmlElement root = parse_xml(small_heat_map(false).svg());
  const auto cells = cells_of(root);
  ASSERT_EQ(cells.size(), 6U);
  EXPECT_EQ(cells[1]->children[0].text, "1");
  EXPECT_LT(cells[0]->number("x"), cells[1]->number("x"));
  EXPECT_EQ(cells[0]->number("y"), cells[1]->number("y"));
  EXPECT_GT(cells[0]->number("y"), cells[3]->number("y"));
  EXPECT_EQ(cells[0]->attributes.at("fill"), hex(sequential_colour(0)));
  EXPECT_EQ(cells[5]->attributes.at("fill"), hex(sequential_colour(1)));
}

TEST(HeatMapMarks, RowsGoDownWhenAsked) {
  const XmlElement root = parse_xml(small_heat_map(true).svg());
  const auto cells = cells_of(root);
  ASSERT_EQ(cells.size(), 6U);
  EXPECT_LT(cells[0]->number("y"), cells[3]->number("y"));
}

TEST(ReliabilityMarks, LeaveOutEmptyBins) {
  Chart chart;
  ReliabilitySeries series;
  series.name = "accuracy";
  series.gap_name = "gap";
  series.edges = {0, 0.5, 1};
  series.observed = {NAN, 0.8};
  series.expected = {NAN, 0.9};
  series.count = {0, 7};
  chart.reliability(series);
  const XmlElement root = parse_xml(chart.svg());
  const auto bars = cells_of(root);
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_EQ(bars[0]->children[0].text, "0.5\u20131: 0.8 observed, 0.9 expected, count 7");
  EXPECT_NEAR(bars[1]->number("y") + bars[1]->number("height"), bars[0]->number("y"), 0.02)
      << "the gap stands on the bar";
}

TEST(Chart, SeriesHaveTooltips) {
  const XmlElement root = parse_xml(full_chart().svg());
  std::set<std::string> titles;
  for (const XmlElement* title : root.all("title")) titles.insert(title->text);
  for (const char* wanted : {"line", "band", "region", "density", "scatter (2 points)", "\u03B3",
                             "bars, 0\u20130.9: 0.5"}) {
    EXPECT_EQ(titles.count(wanted), 1U) << wanted;
  }
}

TEST(Chart, GivesSeriesDifferentColours) {
  Chart chart;
  for (int i = 0; i < 3; ++i) chart.line({"line", {0, 1}, {0, 1}});
  std::set<Colour> colours;
  for (const Element& element : chart.elements()) {
    colours.insert(std::get<LineSeries>(element).colour);
  }
  EXPECT_EQ(colours.size(), 3U);
  EXPECT_EQ(colours.count(Colour::kAuto), 0U);
}

TEST(Panels, StandSideBySide) {
  ChartOptions wide;
  wide.width = 600;
  const XmlElement root = parse_xml(panels({Chart(), Chart(wide), Chart()}, 2));
  EXPECT_EQ(root.attributes.at("viewBox"), "0 0 1040 680");
  std::vector<std::string> places;
  for (const XmlElement& child : root.children) {
    if (child.name == "g") places.push_back(child.attributes.at("transform"));
  }
  EXPECT_EQ(places,
            (std::vector<std::string>{"translate(0 0)", "translate(440 0)", "translate(0 340)"}));
  EXPECT_EQ(root.all("style").size(), 1U);
}

TEST(Panels, GiveDifferentChartsDifferentIds) {
  Chart a;
  a.line({"a", {0, 1}, {0, 1}});
  Chart b;
  b.line({"b", {0, 1}, {1, 0}});
  const XmlElement root = parse_xml(panels({a, b}, 2));
  const auto clips = root.all("clipPath");
  ASSERT_EQ(clips.size(), 2U);
  EXPECT_NE(clips[0]->attributes.at("id"), clips[1]->attributes.at("id"));
}

TEST(Panels, RefuseNoChartsAndNoColumns) {
  EXPECT_THROW(panels({}, 1), ArgumentError);
  EXPECT_THROW(panels({Chart()}, 0), ArgumentError);
}

}  // namespace
}  // namespace cubcal::plot
