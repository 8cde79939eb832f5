#include "cubcal/plot/text.h"

#include <gtest/gtest.h>

#include "plot/xml_document.h"

namespace cubcal::plot {
namespace {

TEST(ParseMarkup, ReadsSymbolsAndSubscripts) {
  const TextLine line = parse_markup("*U*_{max} = 1");
  ASSERT_EQ(line.size(), 3U);
  EXPECT_EQ(line[0].text, "U");
  EXPECT_TRUE(line[0].italic);
  EXPECT_EQ(line[1].text, "max");
  EXPECT_TRUE(line[1].subscript);
  EXPECT_EQ(line[2].text, " = 1");
  EXPECT_FALSE(line[2].italic || line[2].subscript);
}

TEST(ParseMarkup, TakesMarksWithoutPartnerAsTheyAre) {
  for (const char* text : {"a * b", "a_b", "a_{b", "**", "100 %", "tail\\"}) {
    EXPECT_EQ(plain_text(text), text);
  }
}

TEST(Literal, ShowsAnyTextLetterByLetter) {
  for (const char* text : {"*a*", "x_{1}", "back\\slash\\*", "class_name", ""}) {
    const TextLine line = parse_markup(literal(text));
    std::string shown;
    for (const TextRun& run : line) {
      shown += run.text;
      EXPECT_FALSE(run.italic || run.subscript) << text;
    }
    EXPECT_EQ(shown, text);
  }
}

TEST(PlainText, WritesSubscriptsWithAnUnderscore) {
  EXPECT_EQ(plain_text("*\u03B3*_{low} = 0.9"), "\u03B3_low = 0.9");
}

TEST(TextWidth, GrowsWithTextAndSize) {
  EXPECT_LT(text_width("ab", 10), text_width("abc", 10));
  EXPECT_DOUBLE_EQ(text_width("abc", 20), 2 * text_width("abc", 10));
  EXPECT_LT(text_width("a_{max}", 10), text_width("amax", 10));
  EXPECT_DOUBLE_EQ(text_width("\u03B3", 10), text_width("\u03B7", 10));
}

TEST(Wrapped, BreaksAtSpacesAndKeepsEveryWord) {
  const TextLine line = parse_markup("one *two* three_{x} four five");
  const std::vector<TextLine> lines = wrapped(line, 10, 60);
  EXPECT_GT(lines.size(), 1U);
  std::string joined;
  for (const TextLine& part : lines) {
    if (!joined.empty()) joined += ' ';
    for (const TextRun& run : part) joined += run.text;
    EXPECT_LE(text_width(part, 10), 60);
  }
  EXPECT_EQ(joined, "one two threex four five");
}

TEST(TextElement, ReturnsToTheBaselineAfterASubscript) {
  const XmlElement text = parse_xml(text_element(1, 2, "*U*_{max} & *V*", {}));
  double shift = 0;
  for (const XmlElement* span : text.all("tspan")) {
    if (span->attributes.count("dy")) shift += span->number("dy");
  }
  EXPECT_EQ(shift, 0);
  EXPECT_EQ(text.whole_text(), "Umax & V");
  EXPECT_EQ(text.all("tspan")[0]->attributes.at("font-style"), "italic");
}

TEST(TextElement, WritesAnchorAndRotation) {
  TextStyle style;
  style.anchor = Anchor::kEnd;
  style.rotation = -90;
  const XmlElement text = parse_xml(text_element(3, 4, "label", style));
  EXPECT_EQ(text.attributes.at("text-anchor"), "end");
  EXPECT_EQ(text.attributes.at("transform"), "rotate(-90 3 4)");
}

}  // namespace
}  // namespace cubcal::plot
