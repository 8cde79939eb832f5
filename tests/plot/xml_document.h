#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cubcal::plot {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;  ///< with entities resolved
  std::string text;                               ///< own character data, entities resolved
  std::vector<XmlElement> children;

  /// All elements of this name below this one, in document order.
  std::vector<const XmlElement*> all(std::string_view wanted) const;
  double number(const std::string& attribute) const;
  /// Own text and that of all elements below.
  std::string whole_text() const;
};

/// Reads the part of XML that charts use, strictly: one root, balanced tags, quoted and unique
/// attributes, known entities only, no stray '<', '&' or control characters. Throws
/// std::runtime_error with the position of the first fault.
XmlElement parse_xml(std::string_view text);

}  // namespace cubcal::plot
