#include "cubcal/pdf/font.h"

#include <gtest/gtest.h>

namespace cubcal::pdf {
namespace {

TEST(Font, HasWhatChartsWrite) {
  for (const Font* font : {&regular_font(), &bold_font()}) {
    for (const char32_t c : U"AZaz09 .,:%()[]+-=é ß ñ Š ł γ η Δ Σ Ж я – — … × ± − ≤ ≥ ≈ ↑ ↓ € “”") {
      if (c == 0) continue;
      EXPECT_NE(font->glyph(c), 0) << font->name() << " " << static_cast<unsigned>(c);
    }
    EXPECT_EQ(font->glyph(0x4E2D), 0) << "a Chinese letter is not among them";
    EXPECT_EQ(font->glyph(0x1F600), 0);
  }
}

// DejaVu Sans: 2048 units to the em, A 1401, i 569, W 2025; bold W 2259.
TEST(Font, KnowsTheWidthsOfItsLetters) {
  const Font& font = regular_font();
  EXPECT_NEAR(font.advance(font.glyph('A')), 1401 / 2.048, 1e-9);
  EXPECT_NEAR(font.advance(font.glyph('i')), 569 / 2.048, 1e-9);
  EXPECT_NEAR(font.advance(font.glyph('W')), 2025 / 2.048, 1e-9);
  EXPECT_NEAR(bold_font().advance(bold_font().glyph('W')), 2259 / 2.048, 1e-9);
  EXPECT_GT(font.ascent(), 700);
  EXPECT_LT(font.descent(), 0);
}

}  // namespace
}  // namespace cubcal::pdf
