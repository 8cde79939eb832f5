#include "plot/xml_document.h"

#include <stdexcept>

namespace cubcal::plot {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  XmlElement document() {
    XmlElement root = element();
    skip_space();
    if (at_ != text_.size()) fail("text after the root element");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " at byte " + std::to_string(at_));
  }

  char peek() const {
    if (at_ >= text_.size()) fail("unexpected end");
    return text_[at_];
  }

  bool take(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  void expect(std::string_view wanted) {
    if (!take(wanted)) fail("expected '" + std::string(wanted) + "'");
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  std::string name() {
    std::string result;
    while (std::isalnum(static_cast<unsigned char>(peek())) || peek() == '-' || peek() == ':') {
      result += text_[at_++];
    }
    if (result.empty()) fail("expected a name");
    return result;
  }

  char character() {
    if (take("&amp;")) return '&';
    if (take("&lt;")) return '<';
    if (take("&gt;")) return '>';
    if (take("&quot;")) return '"';
    const char c = peek();
    if (c == '&' || c == '<') fail("unescaped character");
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') fail("control character");
    ++at_;
    return c;
  }

  XmlElement element() {
    XmlElement result;
    expect("<");
    result.name = name();
    while (true) {
      const bool spaced = peek() == ' ';
      skip_space();
      if (take("/>")) return result;
      if (take(">")) break;
      if (!spaced) fail("attributes not separated");
      const std::string attribute = name();
      expect("=\"");
      std::string value;
      while (peek() != '"') value += character();
      expect("\"");
      if (!result.attributes.emplace(attribute, value).second) fail("attribute given twice");
    }
    while (!take("</")) {
      if (peek() == '<') {
        result.children.push_back(element());
      } else {
        result.text += character();
      }
    }
    expect(result.name);
    expect(">");
    return result;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void collect(const XmlElement& from, std::string_view wanted,
             std::vector<const XmlElement*>& found) {
  for (const XmlElement& child : from.children) {
    if (child.name == wanted) found.push_back(&child);
    collect(child, wanted, found);
  }
}

}  // namespace

std::vector<const XmlElement*> XmlElement::all(std::string_view wanted) const {
  std::vector<const XmlElement*> found;
  collect(*this, wanted, found);
  return found;
}

double XmlElement::number(const std::string& attribute) const {
  return std::stod(attributes.at(attribute));
}

std::string XmlElement::whole_text() const {
  std::string result = text;
  for (const XmlElement& child : children) result += child.whole_text();
  return result;
}

XmlElement parse_xml(std::string_view text) { return Parser(text).document(); }

}  // namespace cubcal::plot
