#include "cubcal/io/utf8.h"

#include <cstddef>

#include "cubcal/core/error.h"
#include "cubcal/core/utf8_character.h"

namespace cubcal {

namespace {

/// Marks that turn the direction of what follows, or begin a line: with them a name can look like
/// another one.
bool is_layout_mark(std::uint32_t code_point) {
  return code_point == 0x061C || (code_point >= 0x200E && code_point <= 0x200F) ||
         (code_point >= 0x2028 && code_point <= 0x202E) ||
         (code_point >= 0x2066 && code_point <= 0x2069);
}

/// Moves the first character from `text` to `result`.
void append_printable(std::string& result, std::string_view& text) {
  constexpr char digits[] = "0123456789abcdef";
  const Utf8Character front = first_character(text);
  const bool is_control = front.code_point < 0x20 || front.code_point == 0x7F ||
                          (front.code_point >= 0x80 && front.code_point < 0xA0);
  if (front.length == 0 || is_control) {
    const auto byte = static_cast<unsigned char>(text[0]);
    result += "\\x";
    result += digits[byte >> 4];
    result += digits[byte & 0xF];
    text.remove_prefix(1);
  } else if (is_layout_mark(front.code_point)) {
    result += "\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U})
      result += digits[front.code_point >> shift & 0xF];
    text.remove_prefix(front.length);
  } else {
    result += text.substr(0, front.length);
    text.remove_prefix(front.length);
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character front = first_character(text);
    if (front.length == 0) return false;
    text.remove_prefix(front.length);
  }
  return true;
}

std::vector<std::uint32_t> code_points(std::string_view text) {
  std::vector<std::uint32_t> points;
  while (!text.empty()) {
    const Utf8Character front = first_character(text);
    if (front.length == 0) throw DataError("the text " + in_quotes(text) + " is not UTF-8");
    points.push_back(front.code_point);
    text.remove_prefix(front.length);
  }
  return points;
}

void append_utf8(std::string& text, std::uint32_t code_point) {
  if (!is_scalar_value(code_point)) {
    throw DataError(std::to_string(code_point) + " is not a Unicode character");
  }
  const auto append = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto append_tail = [&](int shift) { append(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    append(code_point);
  } else if (code_point < 0x800) {
    append(0xC0 | (code_point >> 6));
    append_tail(0);
  } else if (code_point < 0x10000) {
    append(0xE0 | (code_point >> 12));
    append_tail(6);
    append_tail(0);
  } else {
    append(0xF0 | (code_point >> 18));
    append_tail(12);
    append_tail(6);
    append_tail(0);
  }
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) append_printable(result, text);
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string result = "'";
  while (!text.empty()) {
    if (result.size() > longest) {
      result += "...";
      break;
    }
    append_printable(result, text);
  }
  return result + "'";
}

}  // namespace cubcal
