#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Labels with a touch of mathematics. The markup is `*x*` for an italic symbol and `_{max}` for a
/// subscript, as in `*U*_{max}`; a backslash takes the meaning from the character after it, and a
/// star or brace without its partner stands for itself.
namespace cubcal::plot {

struct TextRun {
  std::string text;
  bool italic = false;
  bool subscript = false;
};

using TextLine = std::vector<TextRun>;

TextLine parse_markup(std::string_view markup);

/// Markup that shows `text` letter by letter: for names that come from data.
std::string literal(std::string_view text);

/// For titles and tooltips, which cannot be styled: `*U*_{max}` becomes "U_max".
std::string plain_text(std::string_view markup);

/// The room the text takes, estimated for a wide sans-serif font, since the font of the reader is
/// not known here.
double text_width(const TextLine& line, double size);
double text_width(std::string_view markup, double size);

/// The text broken at spaces into lines no wider than `width`, where its words allow it.
std::vector<TextLine> wrapped(const TextLine& line, double size, double width);

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 11;                      ///< font size in pixels
  Anchor anchor = Anchor::kMiddle;       ///< which point of the line stands at x
  double rotation = 0;                   ///< degrees clockwise about (x, y)
  std::string_view classes = "cp-text";  ///< classes of the style sheet
};

/// A text element whose baseline starts, is centred or ends at (x, y).
std::string text_element(double x, double y, const TextLine& line, const TextStyle& style);
std::string text_element(double x, double y, std::string_view markup, const TextStyle& style);

}  // namespace cubcal::plot
