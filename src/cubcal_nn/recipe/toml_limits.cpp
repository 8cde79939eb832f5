#include "cubcal_nn/recipe/toml_limits.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

constexpr std::size_t kDeepest = 16;

/// Whether the parts of a dotted key can have this between their dots.
bool is_in_key(unsigned char letter) {
  return std::isalnum(letter) != 0 || letter == '_' || letter == '-' || letter == ' ' ||
         letter == '\t';
}

/// The place behind the string that starts at `begin`, or the end of the text.
std::size_t behind_string(const std::string& text, std::size_t begin) {
  const char quote = text[begin];
  const std::string three(3, quote);
  const bool is_long = text.compare(begin, 3, three) == 0;
  for (std::size_t i = begin + (is_long ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (is_long ? text.compare(i, 3, three) == 0 : text[i] == quote) {
      std::size_t end = i + (is_long ? 3 : 1);
      // A long string may end with up to two quotes of its own before the three.
      for (int more = 0; is_long && more < 2 && end < text.size() && text[end] == quote; ++more) {
        ++end;
      }
      return end;
    } else if (!is_long && text[i] == '\n') {
      return i;
    }
  }
  return text.size();
}

/// The line of this place, from 1 on.
std::string line_at(const std::string& text, std::size_t place) {
  return std::to_string(
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

void check_numbers(const toml::node& node, const std::string& source) {
  if (const toml::table* table = node.as_table()) {
    for (const auto& [key, each] : *table) check_numbers(each, source);
  } else if (const toml::array* array = node.as_array()) {
    for (const toml::node& each : *array) check_numbers(each, source);
  } else if (node.is_floating_point() && !std::isfinite(node.as_floating_point()->get())) {
    const auto line = node.source().begin.line;  // an override has none
    throw ArgumentError(
        (line > 0 ? source + ", line " + std::to_string(line) : "an override of " + source) +
        ": numbers of a recipe must be finite");
  }
}

}  // namespace

void check_toml_numbers(const toml::table& table, const std::string& source) {
  check_numbers(table, source);
}

void check_toml_depth(const std::string& text, const std::string& source) {
  std::size_t brackets = 0;
  std::size_t dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char each = text[i];
    if (each == '#') {
      i = text.find('\n', i);
      if (i == std::string::npos) return;
      dots = 0;
    } else if (each == '"' || each == '\'') {
      i = behind_string(text, i) - 1;
    } else if (each == '.') {
      ++dots;
    } else if (each == '[' || each == '{') {
      ++brackets;
      dots = 0;
    } else if (each == ']' || each == '}') {
      brackets -= brackets > 0 ? 1 : 0;
    } else if (!is_in_key(each)) {
      dots = 0;
    }
    if (brackets <= kDeepest && dots < kDeepest) continue;
    throw ArgumentError(source + ", line " + line_at(text, i) +
                        ": tables and lists are nested too deeply: at most " +
                        std::to_string(kDeepest) + " levels are accepted");
  }
}

}  // namespace cubcal
