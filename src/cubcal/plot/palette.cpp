#include "cubcal/plot/palette.h"

#include <algorithm>
#include <cmath>

namespace cubcal::plot {

namespace {

struct NamedColour {
  Colour colour;
  std::string_view name;
  std::string_view light;
  std::string_view dark;
};

constexpr std::array<NamedColour, 9> kColours = {{
    {Colour::kBlue, "blue", "#0072b2", "#4aa3e6"},
    {Colour::kVermillion, "vermillion", "#d55e00", "#f58545"},
    {Colour::kGreen, "green", "#009e73", "#2fc79b"},
    {Colour::kPurple, "purple", "#b8588f", "#e59bc8"},
    {Colour::kOrange, "orange", "#e69f00", "#f2b941"},
    {Colour::kSky, "sky", "#56b4e9", "#94d3fa"},
    {Colour::kYellow, "yellow", "#f0e442", "#f3ea72"},
    {Colour::kInk, "ink", "#1b1f24", "#e8eaed"},
    {Colour::kMuted, "muted", "#57606a", "#a4acb6"},
}};

constexpr NamedColour kPaper = {Colour::kAuto, "paper", "#ffffff", "#15181d"};
constexpr NamedColour kGrid = {Colour::kAuto, "grid", "#e4e7eb", "#2b3038"};

std::string_view name_of(Colour colour) {
  for (const NamedColour& named : kColours) {
    if (named.colour == colour) return named.name;
  }
  return "ink";
}

std::string definition(const NamedColour& named, bool dark) {
  return "--cubcal-" + std::string(named.name) + ":" +
         std::string(dark ? named.dark : named.light) + ";";
}

std::string painted(std::string_view property, const NamedColour& named) {
  const std::string start = std::string(property) + ":";
  return start + std::string(named.light) + ";" + start + "var(--cubcal-" +
         std::string(named.name) + ")";
}

std::string rule(std::string_view selector, const std::string& body) {
  return ".cubcal-plot " + std::string(selector) + "{" + body + "}\n";
}

}  // namespace

std::string stroke_class(Colour colour) { return "cp-s-" + std::string(name_of(colour)); }

std::string fill_class(Colour colour) { return "cp-f-" + std::string(name_of(colour)); }

std::string colour_definitions(bool dark) {
  std::string text = definition(kPaper, dark) + definition(kGrid, dark);
  for (const NamedColour& named : kColours) text += definition(named, dark);
  return text;
}

std::string style_sheet() {
  std::string css = ".cubcal-plot{" + colour_definitions(false) + "max-width:100%;height:auto}\n" +
                    "@media screen and (prefers-color-scheme: dark){.cubcal-plot{" +
                    colour_definitions(true) + "}}\n";
  css += rule("text",
              "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue','Noto Sans',"
              "'Liberation Sans',Arial,sans-serif;stroke:none");
  for (const NamedColour& named : kColours) {
    css += rule("." + stroke_class(named.colour), painted("stroke", named));
    css += rule("." + fill_class(named.colour), painted("fill", named));
  }
  const NamedColour& ink = kColours[7];
  const NamedColour& muted = kColours[8];
  css += rule(".cp-paper", painted("fill", kPaper));
  css += rule(".cp-grid", "fill:none;stroke-width:1px;" + painted("stroke", kGrid));
  css += rule(".cp-axis", "fill:none;stroke-width:1px;" + painted("stroke", muted));
  css += rule(".cp-text", painted("fill", ink));
  css += rule(".cp-tick", painted("fill", muted));
  css += rule(".cp-title", "font-weight:600;" + painted("fill", ink));
  css += rule(".cp-halo", "paint-order:stroke;stroke-width:3px;stroke-linejoin:round;" +
                              painted("stroke", kPaper));
  css += rule(".cp-line", "fill:none;stroke-linejoin:round;stroke-linecap:butt");
  css += rule(".cp-dots", "fill:none;stroke-linecap:round");
  css += rule(".cp-cells", "shape-rendering:crispEdges");
  return css;
}

Rgb sequential_colour(double t) {
  constexpr std::array<Rgb, 6> kStops = {{{0, 30, 80},
                                          {50, 68, 110},
                                          {98, 102, 114},
                                          {146, 142, 116},
                                          {200, 184, 98},
                                          {254, 233, 72}}};
  const double position = std::clamp(t, 0.0, 1.0) * static_cast<double>(kStops.size() - 1);
  const auto index = std::min(static_cast<std::size_t>(position), kStops.size() - 2);
  const double weight = position - static_cast<double>(index);
  const auto mixed = [&](int low, int high) {
    return static_cast<int>(std::lround(low + weight * (high - low)));
  };
  const Rgb& low = kStops[index];
  const Rgb& high = kStops[index + 1];
  return {mixed(low.red, high.red), mixed(low.green, high.green), mixed(low.blue, high.blue)};
}

std::string hex(Rgb colour) {
  std::string text = "#";
  for (const int part : {colour.red, colour.green, colour.blue}) {
    text += "0123456789abcdef"[part / 16];
    text += "0123456789abcdef"[part % 16];
  }
  return text;
}

double luminance(Rgb colour) {
  const auto linear = [](int part) {
    const double value = part / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

}  // namespace cubcal::plot
