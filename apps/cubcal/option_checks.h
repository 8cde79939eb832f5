#pragma once

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "cubcal/core/words.h"

/// Checks of option values that CLI11 lacks. They describe nothing, so that help stays short.
namespace cubcal::app {

/// For unsigned options that take any number: CLI11 would let -1 wrap round to 2^64 - 1, and take
/// that for a larger number, too.
inline CLI::Validator not_negative() {
  return CLI::Validator(
      [](std::string& text) {
        errno = 0;
        std::strtoull(text.c_str(), nullptr, 10);
        if (text.find('-') == std::string::npos && errno != ERANGE) return std::string();
        return "Value " + text + " not in range 0 to 18446744073709551615";
      },
      "");
}

/// CLI11's own range, whose sentence differs from version to version.
template <class Number>
CLI::Validator within(Number least, Number most) {
  CLI::Validator range = CLI::Range(least, most);
  range.operation([least, most](std::string& text) {
    Number value{};
    const bool is_number = CLI::detail::lexical_cast(text, value);
    if (is_number && !(value < least || most < value))
      return std::string();  // NaN: finite_number()
    std::ostringstream sentence;
    sentence << "Value " << text << " not in range " << least << " to " << most;
    return sentence.str();
  });
  return range;
}

/// Text that is not a number at all is left to the option's own conversion.
inline CLI::Validator finite_number() {
  return CLI::Validator(
      [](std::string& text) {
        if (std::isfinite(std::strtod(text.c_str(), nullptr))) return std::string();
        return "Value " + text + " is not a finite number";
      },
      "");
}

/// The type of an option that takes one of these words, as help, manual and completion show it;
/// whether it is one is checked elsewhere.
inline std::string one_of(const std::vector<std::string>& names) {
  return "TEXT:{" + joined(names, ",") + "}";
}

}  // namespace cubcal::app
