#include "cubcal/core/check.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace cubcal {

namespace {

[[noreturn]] void refuse(const char* name, const std::string& accepted, double value) {
  throw ArgumentError(std::string(name) + " must be " + accepted + ", not " + to_text(value));
}

}  // namespace

std::string to_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return std::string(buffer, end);
}

std::string fixed(double value, int decimals) {
  char buffer[384];  // the largest double has 309 digits before the point
  const int length = std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  std::string text(buffer, static_cast<std::size_t>(length));
  const bool zero = text.find_first_not_of("-0.") == std::string::npos;
  return zero && text[0] == '-' ? text.substr(1) : text;
}

std::string in_percent(double share, int decimals) { return fixed(100 * share, decimals); }

std::string percent(double share, int decimals) { return in_percent(share, decimals) + "%"; }

std::string significant(double value, int digits) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  return buffer;
}

void check_finite(const char* name, double value) {
  if (!std::isfinite(value)) refuse(name, "a finite number", value);
}

void check_positive(const char* name, double value) {
  if (!(std::isfinite(value) && value > 0)) refuse(name, "a positive number", value);
}

void check_at_least(const char* name, double value, double lower) {
  if (!(value >= lower)) refuse(name, "at least " + to_text(lower), value);
}

void check_in_closed(const char* name, double value, double lower, double upper) {
  if (!(value >= lower && value <= upper)) {
    refuse(name, "in [" + to_text(lower) + ", " + to_text(upper) + "]", value);
  }
}

void check_in_open(const char* name, double value, double lower, double upper) {
  if (!(value > lower && value < upper)) {
    refuse(name, "in (" + to_text(lower) + ", " + to_text(upper) + ")", value);
  }
}

void check_classes(std::size_t classes) {
  if (classes < 2) {
    throw ArgumentError("the number of classes must be at least 2, not " + std::to_string(classes));
  }
}

void check_same_size(const char* name, std::size_t size, const char* other_name,
                     std::size_t other_size) {
  if (size != other_size) {
    throw ArgumentError(std::string(name) + " has " + std::to_string(size) + " entries but " +
                        other_name + " has " + std::to_string(other_size));
  }
}

}  // namespace cubcal
