#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace cubcal::pdf {

/// A TrueType font that is part of the library (fonts/make_fonts.py).
class Font {
 public:
  Font(std::string_view name, std::string_view bytes, int stem_width);

  std::string_view name() const { return name_; }
  std::string_view bytes() const { return bytes_; }
  int stem_width() const { return stem_width_; }
  int ascent() const { return ascent_; }    ///< these in thousandths of the font size
  int descent() const { return descent_; }  ///< negative
  const std::vector<int>& box() const { return box_; }

  /// 0, the empty box, for a character that the font does not have.
  std::uint16_t glyph(std::uint32_t character) const;
  /// In thousandths of the font size.
  double advance(std::uint16_t glyph) const;

 private:
  std::string_view name_;
  std::string_view bytes_;
  int stem_width_;
  int ascent_;
  int descent_;
  std::vector<int> box_;
  std::vector<double> advances_;
  std::map<std::uint32_t, std::uint16_t> glyphs_;
};

const Font& regular_font();
const Font& bold_font();

}  // namespace cubcal::pdf
