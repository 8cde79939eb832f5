#pragma once

#include <cstddef>

namespace cubcal {

/// The bin of `value` among `bins` equal widths over [0, 1]: (lo, hi] with lo = m/bins, and exact 0
/// in the first. Values outside [0, 1] go to the nearest bin.
std::size_t bin_index(double value, std::size_t bins);

}  // namespace cubcal
