#pragma once

#include <string>

namespace cubcal {

/// Throws ArgumentError, with `source` and the line, where brackets are nested or a dotted key
/// reaches deeper than any recipe does. Every part of a key is a table within the one before, and
/// the parser and what it builds recurse over them.
void check_toml_depth(const std::string& text, const std::string& source);

}  // namespace cubcal
