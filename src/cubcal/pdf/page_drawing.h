#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cubcal/pdf/font.h"
#include "cubcal/pdf/svg_tree.h"

namespace cubcal::pdf {

inline constexpr double kPointsPerPixel = 0.75;  ///< 96 pixels to the inch

/// What a page says and what its operators refer to by name.
struct PageDrawing {
  std::string operators;
  /// Opacities of lines and of areas, the i-th called /G<i>.
  std::vector<std::pair<double, double>> opacities;
  /// Which glyphs of a font stand for which characters, the i-th font called /F<i>.
  struct UsedFont {
    const Font* font;
    std::map<std::uint16_t, std::uint32_t> glyphs;
  };
  std::vector<UsedFont> fonts;
  std::size_t missing = 0;  ///< characters without a glyph
};

/// The operators that draw the elements of an SVG, `height` pixels high.
PageDrawing page_drawing(const SvgElement& svg, double height);

}  // namespace cubcal::pdf
