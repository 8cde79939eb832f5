#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace cubcal {

/// The number that the whole text is; nothing for any other text.
inline std::optional<double> parse_number(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;
  return value;
}

}  // namespace cubcal
