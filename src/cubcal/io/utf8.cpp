#include "cubcal/io/utf8.h"

#include <cstddef>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

struct Decoded {
  std::uint32_t code_point;
  std::size_t length;  ///< bytes taken; 0 where the text is malformed
};

bool is_scalar_value(std::uint32_t code_point) {
  return code_point <= 0x10FFFF && !(code_point >= 0xD800 && code_point <= 0xDFFF);
}

Decoded decode_front(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {0, 0};
  std::uint32_t value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {0, 0};
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  const std::uint32_t smallest = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  if (value < smallest || !is_scalar_value(value)) return {0, 0};
  return {value, length};
}

/// Moves the first character from `text` to `result`.
void append_printable(std::string& result, std::string_view& text) {
  constexpr char digits[] = "0123456789abcdef";
  const Decoded front = decode_front(text);
  const bool is_control = front.code_point < 0x20 || front.code_point == 0x7F ||
                          (front.code_point >= 0x80 && front.code_point < 0xA0);
  if (front.length == 0 || is_control) {
    const auto byte = static_cast<unsigned char>(text[0]);
    result += "\\x";
    result += digits[byte >> 4];
    result += digits[byte & 0xF];
    text.remove_prefix(1);
  } else {
    result += text.substr(0, front.length);
    text.remove_prefix(front.length);
  }
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Decoded front = decode_front(text);
    if (front.length == 0) return false;
    text.remove_prefix(front.length);
  }
  return true;
}

std::vector<std::uint32_t> code_points(std::string_view text) {
  std::vector<std::uint32_t> points;
  while (!text.empty()) {
    const Decoded front = decode_front(text);
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
