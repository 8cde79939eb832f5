#include "cubcal/plot/svg.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cubcal::plot {
namespace {

TEST(SvgNumber, HasAtMostTwoDecimals) {
  EXPECT_EQ(svg_number(0), "0");
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(1.5), "1.5");
  EXPECT_EQ(svg_number(-12.3456), "-12.35");
  EXPECT_EQ(svg_number(0.05), "0.05");
  EXPECT_EQ(svg_number(100), "100");
  EXPECT_EQ(svg_number(1e300), "10000000");
}

TEST(ReadableNumber, KeepsFourDigits) {
  EXPECT_EQ(readable_number(0.92137), "0.9214");
  EXPECT_EQ(readable_number(3), "3");
  EXPECT_EQ(readable_number(2.5e-7), "2.5e-07");
}

TEST(EscapeXml, EscapesMarkup) {
  EXPECT_EQ(escape_xml("a<b & \"c\" > d"), "a&lt;b &amp; &quot;c&quot; &gt; d");
}

TEST(EscapeXml, KeepsUnicodeAndReplacesWhatXmlForbids) {
  EXPECT_EQ(escape_xml("\u03B3 \u2013 \U0001F600"), "\u03B3 \u2013 \U0001F600");
  EXPECT_EQ(escape_xml(std::string("a\0b\x01", 4)), "a\uFFFDb\uFFFD");
  EXPECT_EQ(escape_xml("\xFF|\xC3|\xC0\x80"), "\uFFFD|\uFFFD|\uFFFD\uFFFD");
  EXPECT_EQ(escape_xml("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate is not a character";
  EXPECT_EQ(escape_xml("\xEF\xBF\xBE"), "\uFFFD\uFFFD\uFFFD") << "U+FFFE is forbidden in XML";
}

TEST(PathData, WritesRelativeSteps) {
  PathData path;
  path.move_to({10, 20});
  path.line_to({12.5, 18});
  path.line_to({12.5, 18.25});
  path.close();
  path.move_to({11, 20});
  EXPECT_EQ(path.text(), "m10 20l2.5-2l0 0.25zm1 0");
}

TEST(PathData, RoundingDoesNotAddUp) {
  PathData path;
  path.move_to({0, 0});
  for (int i = 1; i <= 1000; ++i) path.line_to({i * 0.004, 0});
  double x = 0;
  std::size_t at = 0;
  const std::string& text = path.text();
  while ((at = text.find_first_of("ml", at)) != std::string::npos)
    x += std::stod(text.substr(++at));
  EXPECT_NEAR(x, 4.0, 0.0051);
}

TEST(Thinned, KeepsEndsAndShape) {
  std::vector<Point> points;
  for (int i = 0; i <= 100000; ++i) points.push_back({i * 1e-3, std::sin(i * 1e-4)});
  const std::vector<Point> kept = thinned(points);
  EXPECT_LT(kept.size(), 600U);
  EXPECT_EQ(kept.front().x, points.front().x);
  EXPECT_EQ(kept.back().x, points.back().x);
  for (std::size_t i = 1; i < kept.size(); ++i) EXPECT_LT(kept[i].x - kept[i - 1].x, 0.5);
}

TEST(Thinned, KeepsShortLists) {
  EXPECT_TRUE(thinned({}).empty());
  EXPECT_EQ(thinned({{1, 1}}).size(), 1U);
  EXPECT_EQ(thinned({{1, 1}, {1.01, 1}}).size(), 2U);
}

TEST(ContentId, DependsOnContentOnly) {
  EXPECT_EQ(content_id("a"), content_id("a"));
  EXPECT_NE(content_id("a"), content_id("b"));
}

}  // namespace
}  // namespace cubcal::plot
