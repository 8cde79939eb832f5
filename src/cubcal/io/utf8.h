#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cubcal {

/// Whether the bytes are well-formed UTF-8: no overlong forms, surrogates or code points beyond
/// U+10FFFF.
bool is_utf8(std::string_view text);

/// The code points of well-formed UTF-8; throws DataError for anything else.
std::vector<std::uint32_t> code_points(std::string_view text);

/// Appends one code point; throws DataError for a surrogate or a value beyond U+10FFFF.
void append_utf8(std::string& text, std::uint32_t code_point);

/// The text as a terminal can be shown it: control characters, which could move its cursor or add
/// lines, and bytes that are not UTF-8 become \xNN.
std::string printable(std::string_view text);

/// The text in single quotes for use in an error message: control characters and bytes that are
/// not UTF-8 become \xNN, and a long text is cut.
std::string in_quotes(std::string_view text);

}  // namespace cubcal
