#include "cubcal/plot/palette.h"

#include <algorithm>
#include <cmath>
#include <vector>

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

std::string definition(const NamedColour& named, bool dark) {
  return "--cubcal-" + std::string(named.name) + ":" +
         std::string(dark ? named.dark : named.light) + ";";
}

/// One declaration: a property with a colour of the palette or with a plain value.
struct Declaration {
  std::string_view property;
  const NamedColour* colour;
  std::string_view value;
};

/// What a class of the style sheet means.
struct StyleRule {
  std::string css_class;
  std::vector<Declaration> declarations;
};

const NamedColour& named(Colour colour) {
  for (const NamedColour& each : kColours) {
    if (each.colour == colour) return each;
  }
  return kColours[7];
}

Declaration painted(std::string_view property, const NamedColour& colour) {
  return {property, &colour, {}};
}

Declaration set_to(std::string_view property, std::string_view value) {
  return {property, nullptr, value};
}

const std::vector<StyleRule>& style_rules() {
  static const std::vector<StyleRule> rules = [] {
    std::vector<StyleRule> all;
    for (const NamedColour& each : kColours) {
      all.push_back({stroke_class(each.colour), {painted("stroke", each)}});
      all.push_back({fill_class(each.colour), {painted("fill", each)}});
    }
    const NamedColour& ink = named(Colour::kInk);
    const NamedColour& muted = named(Colour::kMuted);
    const std::vector<StyleRule> others = {
        {"cp-paper", {painted("fill", kPaper)}},
        {"cp-grid",
         {set_to("fill", "none"), set_to("stroke-width", "1"), painted("stroke", kGrid)}},
        {"cp-axis",
         {set_to("fill", "none"), set_to("stroke-width", "1"), painted("stroke", muted)}},
        {"cp-text", {painted("fill", ink)}},
        {"cp-tick", {painted("fill", muted)}},
        {"cp-title", {set_to("font-weight", "600"), painted("fill", ink)}},
        {"cp-halo",
         {set_to("paint-order", "stroke"), set_to("stroke-width", "3"),
          set_to("stroke-linejoin", "round"), painted("stroke", kPaper)}},
        {"cp-line",
         {set_to("fill", "none"), set_to("stroke-linejoin", "round"),
          set_to("stroke-linecap", "butt")}},
        {"cp-dots", {set_to("fill", "none"), set_to("stroke-linecap", "round")}},
        {"cp-cells", {set_to("shape-rendering", "crispEdges")}},
    };
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }();
  return rules;
}

std::string css_of(const Declaration& each) {
  const std::string start = std::string(each.property) + ":";
  if (!each.colour) {
    const bool is_length = each.property == "stroke-width";
    return start + std::string(each.value) + (is_length ? "px" : "");
  }
  return start + std::string(each.colour->light) + ";" + start + "var(--cubcal-" +
         std::string(each.colour->name) + ")";
}

std::string rule(std::string_view selector, const std::string& body) {
  return ".cubcal-plot " + std::string(selector) + "{" + body + "}\n";
}

}  // namespace

std::string stroke_class(Colour colour) { return "cp-s-" + std::string(named(colour).name); }

std::string fill_class(Colour colour) { return "cp-f-" + std::string(named(colour).name); }

std::string colour_definitions(bool dark) {
  std::string text = definition(kPaper, dark) + definition(kGrid, dark);
  for (const NamedColour& named : kColours) text += definition(named, dark);
  return text;
}

std::string style_sheet() {
  std::string css = ".cubcal-plot{" + colour_definitions(false) + "max-width:100%;height:auto}\n" +
                    "@media screen and (prefers-color-scheme: dark){.cubcal-plot{" +
                    colour_definitions(true) + "}}\n";
  css += rule("text", "font-family:" + std::string(kFontFamilies) + ";stroke:none");
  for (const StyleRule& each : style_rules()) {
    std::string body;
    for (const Declaration& declaration : each.declarations) {
      body += (body.empty() ? "" : ";") + css_of(declaration);
    }
    css += rule("." + each.css_class, body);
  }
  return css;
}

std::string light_attributes(std::string_view classes) {
  std::string attributes;
  while (!classes.empty()) {
    const std::string_view first = classes.substr(0, classes.find(' '));
    classes.remove_prefix(std::min(first.size() + 1, classes.size()));
    for (const StyleRule& each : style_rules()) {
      if (each.css_class != first) continue;
      for (const Declaration& declaration : each.declarations) {
        attributes +=
            " " + std::string(declaration.property) + "=\"" +
            std::string(declaration.colour ? declaration.colour->light : declaration.value) + "\"";
      }
    }
  }
  return attributes;
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
