#pragma once

#include <string>
#include <vector>

namespace cubcal::plot {

struct Ticks {
  std::vector<double> values;       ///< rising, all inside the axis
  std::vector<std::string> labels;  ///< one markup text per value
};

/// Multiples of 1, 2 or 5 times a power of ten inside [low, high], at most `target` intervals;
/// labels have just the decimals that tell the values apart. Needs low < high, both finite.
Ticks nice_ticks(double low, double high, int target);

struct Range {
  double low;
  double high;
};

/// The range widened to the next ticks; a single point is widened to a range about it.
Range nice_range(Range range, int target);

}  // namespace cubcal::plot
