#include "cubcal/html/page_numbers.h"

#include <charconv>
#include <cmath>

namespace cubcal {

std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, "\u202f");
  return digits;
}

namespace report {

std::string fixed(double value, int decimals) {
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, std::abs(value),
                                    std::chars_format::fixed, decimals);
  if (result.ec != std::errc()) return "–";
  const std::string digits(buffer, result.ptr);
  const bool is_zero = digits.find_first_of("123456789") == std::string::npos;
  return value < 0 && !is_zero ? "−" + digits : digits;
}

std::string in_percent(double share, int decimals) { return fixed(100 * share, decimals); }

std::string percent(double share, int decimals) { return in_percent(share, decimals) + "%"; }

std::string counted(std::size_t number, const std::string& noun) {
  return grouped(number) + " " + noun + (number == 1 ? "" : "s");
}

}  // namespace report

}  // namespace cubcal
