#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cubcal {

/// A character of UTF-8 text.
struct Utf8Character {
  std::uint32_t code_point = 0;
  std::size_t length = 0;  ///< bytes taken; 0 where the text is malformed
};

/// Whether UTF-8 can have it: no surrogate, nothing beyond U+10FFFF.
inline bool is_scalar_value(std::uint32_t code_point) {
  return code_point <= 0x10FFFF && !(code_point >= 0xD800 && code_point <= 0xDFFF);
}

/// The first one of a text that is not empty; overlong forms are malformed.
Utf8Character first_character(std::string_view text);

}  // namespace cubcal
