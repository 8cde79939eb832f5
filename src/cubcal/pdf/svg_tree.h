#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cubcal::pdf {

struct SvgElement;
/// Text, with its entities resolved, or an element.
using SvgNode = std::variant<std::string, SvgElement>;

struct SvgElement {
  std::string name;
  std::map<std::string, std::string, std::less<>> attributes;
  std::vector<SvgNode> children;

  const std::string* find(std::string_view attribute) const;
  /// Throws ArgumentError where the attribute is not a number; `otherwise` where it is not there.
  double number(std::string_view attribute, double otherwise = 0) const;
};

/// Reads the SVG that the plot room writes, and no other XML: no comments, declarations or
/// attributes in single quotes. Throws ArgumentError for anything else.
SvgElement parse_svg(std::string_view text);

}  // namespace cubcal::pdf
