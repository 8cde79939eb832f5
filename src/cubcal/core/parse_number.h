#pragma once

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace cubcal {

/// The number that the whole text is; nothing for any other text.
inline std::optional<double> parse_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

/// The whole number that the whole text is, digits alone but for the minus of a signed one; nothing
/// for any other text and for one that Number does not hold.
template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace cubcal
