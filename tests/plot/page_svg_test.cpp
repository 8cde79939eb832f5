#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "cubcal/plot/chart.h"
#include "cubcal/plot/palette.h"
#include "plot/xml_document.h"

namespace cubcal::plot {
namespace {

Chart example() {
  ChartOptions options;
  options.title = "Example";
  options.x_label = "confidence *c*";
  options.y_label = "y";
  options.x_min = 0;
  options.x_max = 1;
  options.y_min = 0;
  options.y_max = 2;
  Chart chart(options);
  chart.line({"line", {0, 1}, {0, 2}});
  ScatterSeries dots;
  dots.name = "dots";
  for (int i = 0; i < 20; ++i) {
    dots.x.push_back(i == 3 ? 7 : i / 20.0);  // the fourth lies outside
    dots.y.push_back(1);
    dots.notes.push_back("point " + std::to_string(i) + " <&>");
  }
  chart.scatter(dots);
  return chart;
}

TEST(PageSvg, LeavesStyleToThePageAndTakesItsIds) {
  const std::string svg = example().page_svg("chart-7");
  EXPECT_EQ(svg.find("<style>"), std::string::npos);
  EXPECT_NE(svg.find("id=\"chart-7-title\""), std::string::npos);
  EXPECT_NE(svg.find("id=\"chart-7-area\""), std::string::npos);
  EXPECT_EQ(svg.find("cubcal-0"), std::string::npos);
  parse_xml(svg);
}

TEST(PageSvg, CarriesScalesAndNotes) {
  const std::string svg = example().page_svg("a");
  EXPECT_NE(svg.find("data-x=\"0 1\" data-x-name=\"confidence c\" data-y=\"0 2\""),
            std::string::npos);
  EXPECT_NE(svg.find(" data-line=\"\""), std::string::npos);
  EXPECT_NE(svg.find("point 4 &lt;&amp;&gt;\n"), std::string::npos);
  // Notes go with the points that are drawn.
  EXPECT_EQ(svg.find("point 3 "), std::string::npos);
}

TEST(PageSvg, AFileHasNoneOfThat) {
  const std::string svg = example().svg();
  EXPECT_NE(svg.find("<style>"), std::string::npos);
  EXPECT_EQ(svg.find("data-"), std::string::npos);
}

TEST(PaperSvg, CarriesItsOwnLightColoursAndFonts) {
  const std::string svg = example().paper_svg();
  for (const char* words : {"class=", "<style", "var(", "prefers-color-scheme"}) {
    EXPECT_EQ(svg.find(words), std::string::npos) << words;
  }
  const XmlElement root = parse_xml(svg);  // which refuses an attribute that stands twice
  EXPECT_EQ(root.attributes.at("font-family").rfind("Helvetica,Arial,", 0), 0U);
  for (const XmlElement* text : root.all("text")) {
    EXPECT_EQ(text->attributes.at("fill")[0], '#') << text->whole_text();
  }
  EXPECT_EQ(root.all("rect").front()->attributes.at("fill"), "#ffffff");
  bool has_line = false;
  for (const XmlElement* path : root.all("path")) {
    has_line = has_line || (path->attributes.count("stroke") > 0 &&
                            path->attributes.at("stroke") == "#0072b2" &&
                            path->attributes.at("fill") == "none");
  }
  EXPECT_TRUE(has_line);
}

TEST(PaperSvg, AWordInATextIsNoAttribute) {
  ChartOptions options;
  options.title = "a class=\"cp-ink\" <style>";
  EXPECT_NE(Chart(options).paper_svg().find("a class=&quot;cp-ink&quot; &lt;style&gt;"),
            std::string::npos);
}

TEST(Chart, KeepsItsMarksInAnotherWidth) {
  const Chart narrow = example().in_width(300);
  EXPECT_EQ(narrow.options().width, 300);
  EXPECT_EQ(narrow.elements().size(), example().elements().size());
  EXPECT_NE(narrow.svg().find("width=\"300\""), std::string::npos);
  EXPECT_THROW(narrow.in_width(10), ArgumentError);
}

TEST(PageSvg, CellsShowTheirTextsInsteadOfValues) {
  HeatMap map;
  map.rows = 1;
  map.columns = 2;
  map.values = {75, 25};
  map.show_values = true;
  map.cell_texts = {"<3>", "1"};
  const std::string svg = Chart().heat_map(map).svg();
  EXPECT_NE(svg.find(">&lt;3&gt;</text>"), std::string::npos);
  EXPECT_NE(svg.find("<title>75</title>"), std::string::npos);
  map.cell_texts.pop_back();
  EXPECT_THROW(Chart().heat_map(map), ArgumentError);
}

TEST(PageSvg, AnAxisWithItsOwnTicksHasNoScale) {
  ChartOptions options;
  options.x_ticks = {{0, 1}, {"ten", "hundred"}};
  Chart chart(options);
  chart.line({"line", {0, 1}, {0, 2}});
  const std::string svg = chart.page_svg("a");
  EXPECT_NE(svg.find(">hundred<"), std::string::npos);
  EXPECT_EQ(svg.find("data-x="), std::string::npos);
  EXPECT_NE(svg.find("data-y="), std::string::npos);
  options.x_ticks.labels.pop_back();
  EXPECT_THROW(Chart{options}, ArgumentError);
}

TEST(PageSvg, CellsAndPointsNeedANoteEachOrNone) {
  HeatMap map;
  map.rows = map.columns = 1;
  map.values = {3};
  map.cell_notes = {"three of them"};
  Chart chart;
  chart.heat_map(map);
  EXPECT_NE(chart.svg().find("<title>three of them</title>"), std::string::npos);
  map.cell_notes = {"a", "b"};
  EXPECT_THROW(Chart().heat_map(map), ArgumentError);
  ScatterSeries dots;
  dots.x = dots.y = {1, 2};
  dots.notes = {"one"};
  EXPECT_THROW(Chart().scatter(dots), ArgumentError);
}

TEST(PageSvg, ColourDefinitionsAreThoseOfTheStyleSheet) {
  EXPECT_NE(style_sheet().find(colour_definitions(false)), std::string::npos);
  EXPECT_NE(style_sheet().find(colour_definitions(true)), std::string::npos);
}

}  // namespace
}  // namespace cubcal::plot
