#pragma once

#include <string>

#include "cubcal_nn/recipe/toml.h"

namespace cubcal {

/// Throws ArgumentError, with `source` and the line, where brackets are nested or a dotted key
/// reaches deeper than any recipe does. Every part of a key is a table within the one before, and
/// the parser and what it builds recurse over them.
void check_toml_depth(const std::string& text, const std::string& source);

/// Throws ArgumentError, with `source` and the line, where a number is infinite or none: no key has
/// a use for it, and toml++ 3.3 has undefined behaviour when it writes lists of them.
void check_toml_numbers(const toml::table& table, const std::string& source);

}  // namespace cubcal
