#pragma once

#include <cstdint>
#include <vector>

namespace cubcal {

/// The indices of `values` from the smallest to the largest; equal values keep their order. The
/// values must not be NaN. A radix sort: its time is proportional to their number.
std::vector<std::uint32_t> ascending_order(const std::vector<double>& values);

}  // namespace cubcal
