#include "cubcal/pdf/font.h"

#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/pdf/font_bytes.h"

namespace cubcal::pdf {

namespace {

/// Numbers of a TrueType file, which are big-endian.
class Table {
 public:
  Table(std::string_view file, std::string_view tag) {
    const Table whole(file);
    const std::size_t tables = whole.u16(4);
    for (std::size_t i = 0; i < tables; ++i) {
      const std::size_t entry = 12 + 16 * i;
      if (file.substr(entry, 4) != tag) continue;
      bytes_ = file.substr(whole.u32(entry + 8), whole.u32(entry + 12));
      return;
    }
    throw ArgumentError("a font has no table '" + std::string(tag) + "'");
  }

  std::uint16_t u16(std::size_t at) const {
    return static_cast<std::uint16_t>(byte(at) << 8U | byte(at + 1));
  }
  int i16(std::size_t at) const { return static_cast<std::int16_t>(u16(at)); }
  std::uint32_t u32(std::size_t at) const {
    return static_cast<std::uint32_t>(u16(at)) << 16U | u16(at + 2);
  }

 private:
  explicit Table(std::string_view bytes) : bytes_(bytes) {}
  unsigned byte(std::size_t at) const { return static_cast<unsigned char>(bytes_.at(at)); }

  std::string_view bytes_;
};

/// The map of format 4 that the fonts have.
std::map<std::uint32_t, std::uint16_t> glyph_map(std::string_view file) {
  const Table cmap(file, "cmap");
  const std::size_t start = cmap.u32(8);
  const std::size_t segments = cmap.u16(start + 6) / 2;
  const std::size_t ends = start + 14;
  const std::size_t starts = ends + 2 * segments + 2;
  const std::size_t deltas = starts + 2 * segments;
  const std::size_t offsets = deltas + 2 * segments;
  std::map<std::uint32_t, std::uint16_t> glyphs;
  for (std::size_t s = 0; s < segments; ++s) {
    const std::uint32_t first = cmap.u16(starts + 2 * s);
    const std::uint32_t last = cmap.u16(ends + 2 * s);
    const std::uint16_t offset = cmap.u16(offsets + 2 * s);
    for (std::uint32_t code = first; code <= last && code != 0xFFFF; ++code) {
      std::uint16_t glyph = static_cast<std::uint16_t>(code);
      if (offset != 0) {
        glyph = cmap.u16(offsets + 2 * s + offset + std::size_t{2} * (code - first));
        if (glyph == 0) continue;
      }
      glyphs[code] = static_cast<std::uint16_t>(glyph + cmap.u16(deltas + 2 * s));
    }
  }
  return glyphs;
}

}  // namespace

Font::Font(std::string_view name, std::string_view bytes, int stem_width)
    : name_(name), bytes_(bytes), stem_width_(stem_width), glyphs_(glyph_map(bytes)) {
  const Table head(bytes, "head");
  const Table hhea(bytes, "hhea");
  const Table hmtx(bytes, "hmtx");
  const double unit = 1000.0 / head.u16(18);
  const auto scaled = [&](int value) { return static_cast<int>(std::lround(unit * value)); };
  ascent_ = scaled(hhea.i16(4));
  descent_ = scaled(hhea.i16(6));
  for (std::size_t i = 0; i < 4; ++i) box_.push_back(scaled(head.i16(36 + 2 * i)));
  const std::size_t metrics = hhea.u16(34);
  const std::size_t glyphs = Table(bytes, "maxp").u16(4);
  for (std::size_t g = 0; g < glyphs; ++g) {
    advances_.push_back(unit * hmtx.u16(4 * (g < metrics ? g : metrics - 1)));
  }
}

std::uint16_t Font::glyph(std::uint32_t character) const {
  const auto found = glyphs_.find(character);
  return found == glyphs_.end() ? std::uint16_t{0} : found->second;
}

double Font::advance(std::uint16_t glyph) const { return advances_.at(glyph); }

// A literal ends with a zero that is not the font's.
const Font& regular_font() {
  static const Font font("CubcalSans", {kSansBytes, sizeof kSansBytes - 1}, 80);
  return font;
}

const Font& bold_font() {
  static const Font font("CubcalSans-Bold", {kSansBoldBytes, sizeof kSansBoldBytes - 1}, 140);
  return font;
}

}  // namespace cubcal::pdf
