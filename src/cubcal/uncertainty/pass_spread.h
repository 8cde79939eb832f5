#pragma once

#include <vector>

#include "cubcal/uncertainty/mc_logits.h"

namespace cubcal {

/// Between which the probabilities of one sample lie in nine passes of ten.
struct PassSpread {
  std::vector<double> low;   ///< [K]: 5th percentile over the passes
  std::vector<double> high;  ///< [K]: 95th
};

/// Of softmax(z / T) of each pass, with the temperature of each sample. The percentile q of S
/// sorted values is the one at place q (S - 1), between two of them by interpolation, as NumPy's
/// default. Throws ArgumentError where there are not as many temperatures as samples.
std::vector<PassSpread> pass_spreads(const McLogits& logits,
                                     const std::vector<double>& temperatures);

}  // namespace cubcal
