#include "cubcal/html/html.h"

#include <gtest/gtest.h>

namespace cubcal::report {
namespace {

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

plot::Chart chart_of(const std::string& title, double width = 440) {
  plot::ChartOptions options;
  options.title = title;
  options.width = width;
  plot::Chart chart(options);
  chart.line({"values", {0, 1}, {0, 1}});
  return chart;
}

TEST(Html, TextIsEscapedWhereItEnters) {
  EXPECT_EQ(escaped("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
  EXPECT_EQ(paragraph("<script>"), "<p>&lt;script&gt;</p>\n");
  EXPECT_EQ(paragraph("x", "muted"), "<p class=\"muted\">x</p>\n");
  EXPECT_EQ(section("a & b", "<p>x</p>\n"),
            "<section>\n<h3>a &amp; b</h3>\n<p>x</p>\n</section>\n");
}

TEST(Html, ElementsHoldMarkupAndAttributes) {
  EXPECT_EQ(element("b", "<i>x</i>"), "<b><i>x</i></b>");
  EXPECT_EQ(element("td", "x", "colspan=\"2\""), "<td colspan=\"2\">x</td>");
}

TEST(HtmlTable, NamesColumnsAndRows) {
  Table table({"Metric", "A & B"}, "<caption>");
  EXPECT_TRUE(table.empty());
  table.add({"<accuracy>", "0.5"}, {1});
  EXPECT_FALSE(table.empty());
  const std::string html = table.html();
  EXPECT_TRUE(has(html, "<caption>&lt;caption&gt;</caption>")) << html;
  EXPECT_TRUE(has(html, "<th scope=\"col\">A &amp; B</th>")) << html;
  EXPECT_TRUE(has(html, "<th scope=\"row\">&lt;accuracy&gt;</th><td><b>0.5</b></td>")) << html;
}

TEST(HtmlTable, WordsGoAcrossTheRest) {
  Table table({"Metric", "value", "interval", "p"});
  table.add({"ECE", "not defined"});
  table.add({"NLL", "0.5", "too few"});
  table.add({"AvU", "1", "2", "3"});
  const std::string html = table.html();
  EXPECT_FALSE(has(html, "<caption>"));
  EXPECT_TRUE(has(html, "<td class=\"words\" colspan=\"3\">not defined</td>")) << html;
  EXPECT_TRUE(has(html, "<td>0.5</td><td class=\"words\" colspan=\"2\">too few</td>")) << html;
  EXPECT_TRUE(has(html, "<td>1</td><td>2</td><td>3</td>")) << html;
}

TEST(HtmlTable, OnlyLongOnesMayBreakOverPages) {
  Table table({"a", "b"});
  for (int i = 0; i < 12; ++i) table.add({"x", "y"});
  EXPECT_TRUE(has(table.html(), "<table>"));
  table.add({"x", "y"});
  EXPECT_TRUE(has(table.html(), "<table class=\"long\">"));
}

TEST(HtmlFigures, EachHasAnIdAndANameOfItsOwn) {
  Figures figures;
  const std::string first = figures.figure(chart_of("Reliability, ECE"), "a < b");
  figures.figure(chart_of("Reliability, ECE"), "");
  figures.set_subject("BNN + CUB");
  figures.figure(chart_of("x"), "", "AvU / 2");
  figures.set_subject("");
  figures.figure(chart_of("…"), "");
  ASSERT_EQ(figures.drawn().size(), 4U);
  EXPECT_EQ(figures.drawn()[0].name, "reliability-ece");
  EXPECT_EQ(figures.drawn()[1].name, "reliability-ece-2");
  EXPECT_EQ(figures.drawn()[2].name, "bnn-+-cub-avu-2");
  EXPECT_EQ(figures.drawn()[3].name, "chart") << "where nothing of the title is left";
  EXPECT_TRUE(has(first, "chart-1")) << first;
  EXPECT_TRUE(has(first, "<figcaption>a &lt; b</figcaption></figure>")) << first;
}

TEST(HtmlFigures, AWideOneScrollsAndOthersFitATelephone) {
  Figures figures;
  const std::string fitted = figures.figure(chart_of("narrow", 440), "");
  EXPECT_EQ(figures.drawn()[0].chart.options().width, 390);
  EXPECT_EQ(fitted.rfind("<figure class=\"chart\"><svg", 0), 0U) << fitted;
  EXPECT_FALSE(has(fitted, "figcaption"));
  const std::string wide = figures.figure(chart_of("wide", 700), "");
  EXPECT_EQ(figures.drawn()[1].chart.options().width, 700);
  EXPECT_EQ(wide.rfind("<figure class=\"chart whole\"><div class=\"wide\"><svg", 0), 0U) << wide;
  EXPECT_EQ(figure_row(fitted, "small row"), "<div class=\"small row\">\n" + fitted + "</div>\n");
}

}  // namespace
}  // namespace cubcal::report
