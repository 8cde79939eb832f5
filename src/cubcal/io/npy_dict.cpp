#include "cubcal/io/npy_dict.h"

#include <limits>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

class NpyDictParser {
 public:
  NpyDictParser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  NpyDict parse() {
    NpyDict dict;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        once(has_descr, key);
        if (peek('[')) {
          throw DataError(where_ +
                          " is a structured array, but only arrays of plain numbers or text are "
                          "accepted");
        }
        dict.descr = string();
      } else if (key == "fortran_order") {
        once(has_order, key);
        dict.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        dict.shape = tuple();
      } else {
        complain("it has the unknown key " + in_quotes(key));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!text_.empty()) complain("text follows the closing brace");
    if (!has_descr || !has_order || !has_shape) {
      complain("it lacks one of 'descr', 'fortran_order' and 'shape'");
    }
    return dict;
  }

 private:
  [[noreturn]] void complain(const std::string& complaint) const {
    throw DataError(where_ + " has a damaged head: " + complaint);
  }

  void once(bool& seen, const std::string& key) const {
    if (seen) complain("the key " + in_quotes(key) + " appears twice");
    seen = true;
  }

  void skip_space() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\t' || text_[0] == '\n')) {
      text_.remove_prefix(1);
    }
  }

  bool peek(char wanted) {
    skip_space();
    return !text_.empty() && text_[0] == wanted;
  }

  bool take(char wanted) {
    if (!peek(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!take(wanted)) {
      complain(std::string("'") + wanted + "' is missing before " + in_quotes(text_.substr(0, 20)));
    }
  }

  std::string string() {
    skip_space();
    const char quote = text_.empty() ? '\0' : text_[0];
    if (quote != '\'' && quote != '"') {
      complain("a string is missing before " + in_quotes(text_.substr(0, 20)));
    }
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) complain("a string has no end");
    const std::string value(text_.substr(1, end - 1));
    if (value.find('\\') != std::string::npos) complain("a string holds a backslash");
    text_.remove_prefix(end + 1);
    return value;
  }

  bool boolean() {
    skip_space();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(0, word.size()) == word) {
        text_.remove_prefix(word.size());
        return value;
      }
    }
    complain("'fortran_order' is neither True nor False");
  }

  std::vector<std::size_t> tuple() {
    constexpr std::size_t most_axes = 64;  // as many as NumPy allows
    std::vector<std::size_t> values;
    bool has_comma = false;
    expect('(');
    while (!take(')')) {
      if (values.size() == most_axes) complain("the shape has more than 64 axes");
      values.push_back(number());
      if (!take(',')) {
        expect(')');
        break;
      }
      has_comma = true;
    }
    if (values.size() == 1 && !has_comma) complain("the shape is not a tuple");
    return values;
  }

  std::size_t number() {
    skip_space();
    std::size_t value = 0;
    std::size_t digits = 0;
    for (; digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits) {
      const auto digit = static_cast<std::size_t>(text_[digits] - '0');
      if (value > (std::numeric_limits<std::size_t>::max() - digit) / 10) {
        complain("an extent of the shape is too large");
      }
      value = value * 10 + digit;
    }
    if (digits == 0) complain("an extent of the shape is not a non-negative integer");
    text_.remove_prefix(digits);
    // Python 2 wrote long integers with this suffix.
    if (!text_.empty() && text_[0] == 'L') text_.remove_prefix(1);
    return value;
  }

  std::string_view text_;
  const std::string& where_;
};

}  // namespace

NpyDict parse_npy_dict(std::string_view text, const std::string& where) {
  return NpyDictParser(text, where).parse();
}

}  // namespace cubcal
