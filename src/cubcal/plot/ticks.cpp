#include "cubcal/plot/ticks.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cubcal::plot {

namespace {

/// A step of mantissa times ten to the exponent; multiples are formed so that they print exactly.
struct Step {
  int mantissa;
  int exponent;

  double times(double count) const {
    const double scaled = count * mantissa;
    return exponent < 0 ? scaled / std::pow(10.0, -exponent) : scaled * std::pow(10.0, exponent);
  }
};

Step nice_step(double smallest) {
  constexpr double kSmallestStep = 1e-300;
  smallest = std::max(smallest, kSmallestStep);
  int exponent = static_cast<int>(std::floor(std::log10(smallest)));
  for (;; ++exponent) {
    for (const int mantissa : {1, 2, 5}) {
      const Step step{mantissa, exponent};
      if (step.times(1) >= smallest * (1 - 1e-9)) return step;
    }
  }
}

std::string tick_label(double value, double largest, const Step& step) {
  const bool scientific = largest >= 1e6 || step.exponent < -5;
  const int decimals = scientific
                           ? static_cast<int>(std::floor(std::log10(largest))) - step.exponent
                           : std::max(0, -step.exponent);
  char buffer[64];
  const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const double magnitude = std::abs(value);
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, magnitude, format, std::clamp(decimals, 0, 17))
          .ptr;
  const std::string digits(buffer, end);
  if (magnitude == 0) return "0" + (scientific ? std::string() : digits.substr(1));
  return (value < 0 ? "\u2212" : "") + digits;
}

}  // namespace

Ticks nice_ticks(double low, double high, int target) {
  const Step step = nice_step(high / target - low / target);
  // A tick that misses the end of the axis by rounding only still belongs to it.
  const double slack = 1e-9;
  const double first = std::ceil(low / step.times(1) - slack);
  const double last = std::floor(high / step.times(1) + slack);
  Ticks ticks;
  const double largest = std::max(std::abs(low), std::abs(high));
  for (double count = first; count <= last; count += 1) {
    const double value = std::clamp(step.times(count), low, high);
    if (!ticks.values.empty() && value <= ticks.values.back()) break;
    ticks.values.push_back(value);
    ticks.labels.push_back(tick_label(step.times(count), largest, step));
  }
  return ticks;
}

Range nice_range(Range range, int target) {
  if (range.low == range.high) {
    const double margin = range.low == 0 ? 1.0 : 0.1 * std::abs(range.low);
    range = {range.low - margin, range.high + margin};
  }
  const Step step = nice_step(range.high / target - range.low / target);
  return {step.times(std::floor(range.low / step.times(1) + 1e-9)),
          step.times(std::ceil(range.high / step.times(1) - 1e-9))};
}

}  // namespace cubcal::plot
