#include "cubcal/pdf/svg_tree.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal::pdf {
namespace {

TEST(SvgTree, KeepsElementsAttributesAndText) {
  const SvgElement svg = parse_svg(
      "<svg width=\"4.5\">\n<text x=\"1\">a &lt;&amp;&gt; <tspan dy=\"2\">b</tspan></text>"
      "<path d=\"m0 0\"/></svg>\n");
  EXPECT_EQ(svg.name, "svg");
  EXPECT_EQ(svg.number("width"), 4.5);
  EXPECT_EQ(svg.number("height", 7), 7);
  ASSERT_EQ(svg.children.size(), 3U);
  const auto& text = std::get<SvgElement>(svg.children[1]);
  EXPECT_EQ(std::get<std::string>(text.children[0]), "a <&> ");
  EXPECT_EQ(std::get<SvgElement>(text.children[1]).number("dy"), 2);
}

TEST(SvgTree, RefusesWhatChartsDoNotWrite) {
  for (const char* text :
       {"", "words", "<svg>", "<svg></g>", "<svg a=\"1\" a=\"2\"/>", "<svg a='1'/>", "<svg/><svg/>",
        "<svg>&nbsp;</svg>", "<!-- --><svg/>", "<svg a=\"1/>"}) {
    test::expect_error<ArgumentError>([&] { parse_svg(text); }, "this is not an SVG of a chart");
  }
  test::expect_error<ArgumentError>([] { parse_svg("<svg x=\"wide\"/>").number("x"); },
                                    "'wide' is not a number");
}

}  // namespace
}  // namespace cubcal::pdf
