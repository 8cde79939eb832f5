#include "cubcal/pdf/svg_tree.h"

#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"

namespace cubcal::pdf {

namespace {

[[noreturn]] void refuse_syntax(const std::string& what) {
  throw ArgumentError("this is not an SVG of a chart: " + what);
}

std::string resolved(std::string_view text) {
  static constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};
  std::string result;
  while (!text.empty()) {
    if (text[0] != '&') {
      result += text[0];
      text.remove_prefix(1);
      continue;
    }
    bool known = false;
    for (const auto& [entity, letter] : kEntities) {
      if (text.substr(0, entity.size()) != entity) continue;
      result += letter;
      text.remove_prefix(entity.size());
      known = true;
      break;
    }
    if (!known) refuse_syntax("an entity is unknown");
  }
  return result;
}

class SvgReader {
 public:
  explicit SvgReader(std::string_view text) : text_(text) {}

  SvgElement root() {
    SvgElement element = read_element();
    skip_space();
    if (!text_.empty()) refuse_syntax("something follows its end");
    return element;
  }

 private:
  void skip_space() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }

  bool take(std::string_view words) {
    if (text_.substr(0, words.size()) != words) return false;
    text_.remove_prefix(words.size());
    return true;
  }

  void expect(std::string_view words) {
    if (!take(words)) refuse_syntax("'" + std::string(words) + "' is missing");
  }

  std::string_view take_until(std::string_view ends) {
    const std::size_t end = text_.find_first_of(ends);
    if (end == std::string_view::npos) refuse_syntax("it ends too soon");
    const std::string_view part = text_.substr(0, end);
    text_.remove_prefix(end);
    return part;
  }

  SvgElement read_element() {
    expect("<");
    SvgElement element;
    element.name = take_until(" />\n");
    if (element.name.empty()) refuse_syntax("an element has no name");
    while (true) {
      skip_space();
      if (take("/>")) return element;
      if (take(">")) break;
      const std::string name(take_until("= />"));
      expect("=\"");
      const std::string value = resolved(take_until("\""));
      expect("\"");
      if (!element.attributes.emplace(name, value).second)
        refuse_syntax("an attribute stands twice");
    }
    while (true) {
      const std::string_view text = take_until("<");
      if (!text.empty()) element.children.emplace_back(resolved(text));
      if (take("</")) break;
      element.children.emplace_back(read_element());
    }
    expect(element.name + ">");
    return element;
  }

  std::string_view text_;
};

}  // namespace

const std::string* SvgElement::find(std::string_view attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? nullptr : &found->second;
}

double SvgElement::number(std::string_view attribute, double otherwise) const {
  const std::string* text = find(attribute);
  if (!text) return otherwise;
  const std::optional<double> value = parse_number(*text);
  if (!value) refuse_syntax("'" + *text + "' is not a number");
  return *value;
}

SvgElement parse_svg(std::string_view text) { return SvgReader(text).root(); }

}  // namespace cubcal::pdf
