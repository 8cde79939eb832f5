#include "cubcal/plot/palette.h"

#include <gtest/gtest.h>

#include <sstream>

namespace cubcal::plot {
namespace {

TEST(StyleSheet, EveryRuleStandsUnderTheClassOfCharts) {
  std::istringstream lines(style_sheet());
  std::string line;
  int rules = 0;
  while (std::getline(lines, line)) {
    const std::string media = "@media screen and (prefers-color-scheme: dark){";
    if (line.rfind(media, 0) == 0) line.erase(0, media.size());
    EXPECT_EQ(line.rfind(".cubcal-plot", 0), 0U) << line;
    EXPECT_EQ(line.find(','), line.find(",", line.find('{'))) << "one selector a rule: " << line;
    ++rules;
  }
  EXPECT_GT(rules, 20);
}

TEST(StyleSheet, EveryCustomPropertyHasAPlainValueBeforeIt) {
  const std::string css = style_sheet();
  std::size_t at = 0;
  int uses = 0;
  while ((at = css.find(":var(", at)) != std::string::npos) {
    const std::size_t property = css.rfind(';', at) + 1;
    const std::string name = css.substr(property, at - property);
    const std::string before = css.substr(property - 9 - name.size(), name.size() + 2);
    EXPECT_EQ(before, name + ":#");
    ++at;
    ++uses;
  }
  EXPECT_GT(uses, 20);
}

TEST(StyleSheet, NeedsNoEscapingInXml) {
  EXPECT_EQ(style_sheet().find_first_of("<&"), std::string::npos);
}

TEST(SequentialColour, LightnessRises) {
  for (int i = 1; i <= 100; ++i) {
    EXPECT_GT(luminance(sequential_colour(i / 100.0)),
              luminance(sequential_colour((i - 1) / 100.0)))
        << i;
  }
}

TEST(SequentialColour, StopsAtItsEnds) {
  EXPECT_EQ(hex(sequential_colour(-1)), hex(sequential_colour(0)));
  EXPECT_EQ(hex(sequential_colour(2)), hex(sequential_colour(1)));
  EXPECT_EQ(hex({0, 171, 255}), "#00abff");
}

TEST(Luminance, KnowsBlackAndWhite) {
  EXPECT_NEAR(luminance({0, 0, 0}), 0, 1e-12);
  EXPECT_NEAR(luminance({255, 255, 255}), 1, 1e-12);
}

}  // namespace
}  // namespace cubcal::plot
