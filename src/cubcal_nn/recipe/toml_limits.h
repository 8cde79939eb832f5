#pragma once

#include <cstddef>
#include <string>

#include "cubcal_nn/recipe/toml.h"

namespace cubcal {

/// Throws ArgumentError, with `source` and the line, where brackets are nested or a dotted key
/// reaches deeper than any recipe does. Every part of a key is a table within the one before, and
/// the parser and what it builds recurse over them.
void check_toml_depth(const std::string& text, const std::string& source);

/// The place of the first letter that is not ASCII and stands outside strings and comments, where
/// no TOML has one; npos where there is none. toml++ 3.3 has undefined behaviour there for letters
/// of U+00A1 to U+0499.
std::size_t letter_no_toml_has(const std::string& text);

/// Throws ArgumentError, with `source` and the line, where there is such a letter.
void check_toml_letters(const std::string& text, const std::string& source);

/// Throws ArgumentError, with `source` and the line, where a number is infinite or none: no key has
/// a use for it, and toml++ 3.3 has undefined behaviour when it writes lists of them.
void check_toml_numbers(const toml::table& table, const std::string& source);

}  // namespace cubcal
