#include "cubcal/pdf/page_drawing.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/utf8.h"
#include "cubcal/pdf/pdf_file.h"

namespace cubcal::pdf {

namespace {

constexpr double kPi = 3.14159265358979323846;
/// How far italic letters lean: the font has no italic of its own, and its maker's is as slanted.
constexpr double kSlant = 0.2126;

[[noreturn]] void refuse(const std::string& what) {
  throw ArgumentError("a PDF cannot show " + what + " of this SVG");
}

/// What elements inherit from those around them.
struct Style {
  std::string fill = "#000000";
  std::string stroke = "none";
  double stroke_width = 1;
  double fill_opacity = 1;
  double stroke_opacity = 1;
  std::string dashes;
  bool round_caps = false;
  bool round_joins = false;
  bool stroke_first = false;
  double font_size = 11;
  bool bold = false;
  bool italic = false;
  std::string anchor = "start";
};

Style inherited(Style style, const SvgElement& element) {
  const auto take = [&](const char* name, std::string& value) {
    if (const std::string* text = element.find(name)) value = *text;
  };
  take("fill", style.fill);
  take("stroke", style.stroke);
  take("stroke-dasharray", style.dashes);
  take("text-anchor", style.anchor);
  style.stroke_width = element.number("stroke-width", style.stroke_width);
  style.fill_opacity = element.number("fill-opacity", style.fill_opacity);
  style.stroke_opacity = element.number("stroke-opacity", style.stroke_opacity);
  style.font_size = element.number("font-size", style.font_size);
  if (const std::string* cap = element.find("stroke-linecap")) style.round_caps = *cap == "round";
  if (const std::string* join = element.find("stroke-linejoin")) {
    style.round_joins = *join == "round";
  }
  if (const std::string* order = element.find("paint-order")) {
    style.stroke_first = *order == "stroke";
  }
  if (const std::string* weight = element.find("font-weight")) style.bold = *weight == "600";
  if (const std::string* slope = element.find("font-style")) style.italic = *slope == "italic";
  return style;
}

/// The numbers in brackets after a name: "rotate(-90 10 20)".
std::vector<double> arguments_of(const std::string& text, const std::string& name) {
  std::vector<double> numbers;
  if (!starts_with(text, name + "(")) return numbers;
  const char* at = text.c_str() + name.size() + 1;
  char* end = nullptr;
  for (double value = std::strtod(at, &end); end != at; value = std::strtod(at, &end)) {
    numbers.push_back(value);
    at = end;
  }
  return numbers;
}

/// Letters in one style, and how far their baseline is moved down.
struct LetterRun {
  Style style;
  std::string text;
  double drop;
};

class Painter {
 public:
  void paint_children(const SvgElement& parent, const Style& style) {
    for (const SvgNode& node : parent.children) {
      if (const auto* element = std::get_if<SvgElement>(&node)) paint(*element, style);
    }
  }

  void transform(double a, double b, double c, double d, double e, double f) {
    say({a, b, c, d, e, f}, "cm");
  }

  PageDrawing finished() { return std::move(drawing_); }

 private:
  void paint(const SvgElement& element, const Style& outer) {
    const std::string& name = element.name;
    if (name == "title" || name == "desc") return;
    if (name == "clipPath") {
      const std::string* id = element.find("id");
      const SvgElement* area = nullptr;
      for (const SvgNode& node : element.children) {
        if (const auto* child = std::get_if<SvgElement>(&node)) area = child;
      }
      if (!id || !area) refuse("an empty clip path");
      clips_[*id] = area;
      return;
    }
    const Style style = inherited(outer, element);
    if (name == "g") {
      group(element, style);
    } else if (name == "text") {
      text(element, style);
    } else if (name == "rect") {
      shape(style, [&] { rectangle(element); });
    } else if (name == "circle") {
      shape(style, [&] { circle(element); });
    } else if (name == "path") {
      shape(style, [&] { path(*element.find("d")); });
    } else {
      refuse("the element '" + name + "'");
    }
  }

  void group(const SvgElement& element, const Style& style) {
    say("q");
    if (const std::string* moved = element.find("transform")) {
      const std::vector<double> by = arguments_of(*moved, "translate");
      if (by.size() != 2) refuse("the transform '" + *moved + "'");
      transform(1, 0, 0, 1, by[0], by[1]);
    }
    if (const std::string* clip = element.find("clip-path")) {
      const std::string id = clip->size() > 6 ? clip->substr(5, clip->size() - 6) : "";
      const auto found = clips_.find(id);
      if (found == clips_.end()) refuse("the clip path '" + *clip + "'");
      rectangle(*found->second);
      say("W n");
    }
    paint_children(element, style);
    say("Q");
  }

  /// Fills and strokes what `outline` draws, as the style says.
  template <class Outline>
  void shape(const Style& style, Outline outline) {
    const bool fills = style.fill != "none";
    const bool strokes = style.stroke != "none" && style.stroke_width > 0;
    if (!fills && !strokes) return;
    say("q");
    set_opacity(style);
    if (fills) set_colour(style.fill, "rg");
    if (strokes) set_pen(style);
    outline();
    say(fills && strokes ? "B" : fills ? "f" : "S");
    say("Q");
  }

  void set_colour(const std::string& colour, const char* operation) {
    if (colour.size() != 7 || colour[0] != '#') refuse("the colour '" + colour + "'");
    std::vector<double> parts;
    for (std::size_t i = 1; i < 7; i += 2) {
      parts.push_back(static_cast<double>(std::stoi(colour.substr(i, 2), nullptr, 16)) / 255);
    }
    say(parts, operation);
  }

  void set_pen(const Style& style) {
    set_colour(style.stroke, "RG");
    say({style.stroke_width}, "w");
    if (style.round_caps) say("1 J");
    if (style.round_joins) say("1 j");
    if (!style.dashes.empty()) say("[" + style.dashes + "] 0 d");
  }

  void set_opacity(const Style& style) {
    const std::pair<double, double> wanted{style.stroke_opacity, style.fill_opacity};
    if (wanted.first == 1 && wanted.second == 1) return;
    auto& known = drawing_.opacities;
    const auto found = std::find(known.begin(), known.end(), wanted);
    const auto index = static_cast<std::size_t>(found - known.begin());
    if (found == known.end()) known.push_back(wanted);
    say("/G" + std::to_string(index) + " gs");
  }

  void rectangle(const SvgElement& element) {
    say({element.number("x"), element.number("y"), element.number("width"),
         element.number("height")},
        "re");
  }

  void circle(const SvgElement& element) {
    constexpr double kHandle = 0.5522847498;  // of a quarter circle drawn as a Bézier curve
    const double x = element.number("cx");
    const double y = element.number("cy");
    const double r = element.number("r");
    const double h = kHandle * r;
    say({x + r, y}, "m");
    say({x + r, y + h, x + h, y + r, x, y + r}, "c");
    say({x - h, y + r, x - r, y + h, x - r, y}, "c");
    say({x - r, y - h, x - h, y - r, x, y - r}, "c");
    say({x + h, y - r, x + r, y - h, x + r, y}, "c");
    say("h");
  }

  /// Moves, lines, horizontal lines and ends of outlines, of absolute and of relative places.
  void path(const std::string& data) {
    const char* at = data.c_str();
    double x = 0;
    double y = 0;
    double start_x = 0;
    double start_y = 0;
    const auto number = [&] {
      char* end = nullptr;
      const double value = std::strtod(at, &end);
      if (end == at) refuse("the path '" + data.substr(0, 40) + "'");
      at = end;
      return value;
    };
    while (*at != '\0') {
      const char command = *at++;
      switch (command) {
        case 'm':
        case 'M':
        case 'l':
        case 'L': {
          const bool relative = command == 'm' || command == 'l';
          x = number() + (relative ? x : 0);
          y = number() + (relative ? y : 0);
          const bool moves = command == 'm' || command == 'M';
          if (moves) {
            start_x = x;
            start_y = y;
          }
          say({x, y}, moves ? "m" : "l");
          break;
        }
        case 'h':
          x += number();
          say({x, y}, "l");
          break;
        case 'z':
          x = start_x;
          y = start_y;
          say("h");
          break;
        default: refuse("the path '" + data.substr(0, 40) + "'");
      }
    }
  }

  void text(const SvgElement& element, const Style& style) {
    std::vector<LetterRun> runs;
    double drop = 0;
    for (const SvgNode& node : element.children) {
      if (const auto* letters = std::get_if<std::string>(&node)) {
        runs.push_back({style, *letters, drop});
        continue;
      }
      const auto& span = std::get<SvgElement>(node);
      drop += span.number("dy");
      std::string letters;
      for (const SvgNode& inner : span.children) {
        if (const auto* part = std::get_if<std::string>(&inner)) letters += *part;
      }
      runs.push_back({inherited(style, span), letters, drop});
    }
    double width = 0;
    for (const LetterRun& run : runs) width += width_of(run);
    const double share = style.anchor == "middle" ? 0.5 : style.anchor == "end" ? 1 : 0;
    say("q");
    set_opacity(style);
    place(element);
    if (style.stroke != "none" && style.stroke_first) {
      set_pen(style);
      letters(runs, -share * width, 1);
    }
    if (style.fill != "none") {
      set_colour(style.fill, "rg");
      letters(runs, -share * width, 0);
    }
    say("Q");
  }

  /// Puts the origin where the text stands, turned as it is.
  void place(const SvgElement& element) {
    const double x = element.number("x");
    const double y = element.number("y");
    const std::string* turned = element.find("transform");
    if (!turned) return transform(1, 0, 0, 1, x, y);
    const std::vector<double> about = arguments_of(*turned, "rotate");
    if (about.size() != 3 || about[1] != x || about[2] != y) {
      refuse("the transform '" + *turned + "'");
    }
    const double angle = about[0] * kPi / 180;
    transform(std::cos(angle), std::sin(angle), -std::sin(angle), std::cos(angle), x, y);
  }

  static const Font& font_of(const Style& style) {
    return style.bold ? bold_font() : regular_font();
  }

  static double width_of(const LetterRun& run) {
    double width = 0;
    const Font& font = font_of(run.style);
    for (const std::uint32_t code : code_points(run.text)) width += font.advance(font.glyph(code));
    return width * run.style.font_size / 1000;
  }

  /// `mode` 0 fills the letters, 1 draws their outlines.
  void letters(const std::vector<LetterRun>& runs, double x, int mode) {
    say("BT");
    say(std::to_string(mode) + " Tr");
    for (const LetterRun& run : runs) {
      const Font& font = font_of(run.style);
      PageDrawing::UsedFont& used = use(font);
      say("/F" + std::to_string(&used - drawing_.fonts.data()) + " " +
          pdf_number(run.style.font_size) + " Tf");
      // The page has y downwards, letters have it upwards.
      say({1, 0, run.style.italic ? kSlant : 0, -1, x, run.drop}, "Tm");
      std::string glyphs = "<";
      for (const std::uint32_t code : code_points(run.text)) {
        const std::uint16_t glyph = font.glyph(code);
        if (glyph == 0) drawing_.missing += mode == 0 ? 1 : 0;
        used.glyphs.emplace(glyph, code);
        glyphs += hex4(glyph);
      }
      say(glyphs + "> Tj");
      x += width_of(run);
    }
    say("ET");
  }

  PageDrawing::UsedFont& use(const Font& font) {
    auto& fonts = drawing_.fonts;
    const auto found = std::find_if(fonts.begin(), fonts.end(),
                                    [&](const auto& each) { return each.font == &font; });
    if (found != fonts.end()) return *found;
    fonts.push_back({&font, {}});
    return fonts.back();
  }

  void say(const std::string& operation) { drawing_.operators += operation + "\n"; }
  void say(const std::vector<double>& numbers, const char* operation) {
    for (const double number : numbers) drawing_.operators += pdf_number(number) + " ";
    say(operation);
  }

  std::map<std::string, const SvgElement*> clips_;
  PageDrawing drawing_;
};

}  // namespace

PageDrawing page_drawing(const SvgElement& svg, double height) {
  Painter painter;
  painter.transform(kPointsPerPixel, 0, 0, -kPointsPerPixel, 0, kPointsPerPixel * height);
  painter.paint_children(svg, inherited({}, svg));
  return painter.finished();
}

}  // namespace cubcal::pdf
