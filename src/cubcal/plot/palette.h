#pragma once

#include <array>
#include <string>
#include <string_view>

/// Colours that people with any colour vision can tell apart (after Okabe and Ito), each in a light
/// and a dark variant, and a colour map for heat maps.
namespace cubcal::plot {

enum class Colour {
  kAuto,  ///< the next one of blue, vermillion, green, purple, orange and sky in this chart
  kBlue,
  kVermillion,
  kGreen,
  kPurple,
  kOrange,
  kSky,
  kYellow,  ///< for areas: too pale for lines on white
  kInk,     ///< the colour of text
  kMuted    ///< the colour of axes and remarks
};

/// The colours given to series that ask for kAuto, in this order and then again.
inline constexpr std::array<Colour, 6> kColourCycle = {Colour::kBlue,   Colour::kVermillion,
                                                       Colour::kGreen,  Colour::kPurple,
                                                       Colour::kOrange, Colour::kSky};

/// Style sheet classes that stroke or fill with a colour; kAuto must be resolved before.
std::string stroke_class(Colour colour);
std::string fill_class(Colour colour);

/// The style sheet of every chart. All rules stand under the class cubcal-plot, so nothing leaks
/// into a page the SVG is put in. Colours are custom properties with a plain value before them for
/// viewers that know no custom properties; dark values apply on a dark screen and never on paper.
std::string style_sheet();

/// The custom properties of the light or of the dark colours, for a page with a switch of its own.
std::string colour_definitions(bool dark);

/// The fonts of charts, the first that the reader has.
inline constexpr std::string_view kFontFamilies =
    "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans','Liberation Sans',"
    "Arial,sans-serif";

/// The same in a file of its own, where programs that draw look for a font by its name.
inline constexpr std::string_view kPaperFontFamilies =
    "Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif";

/// What these classes of the style sheet mean in light colours, as attributes with a leading space
/// each: for programs that know no style sheets.
std::string light_attributes(std::string_view classes);

struct Rgb {
  int red;
  int green;
  int blue;
};

/// A colour map from dark blue over grey to yellow for t in [0, 1], whose lightness rises all the
/// way, so that order is visible in grey and to colour-blind readers.
Rgb sequential_colour(double t);

/// "#rrggbb".
std::string hex(Rgb colour);

/// Relative luminance in [0, 1] of an sRGB colour.
double luminance(Rgb colour);

}  // namespace cubcal::plot
