#pragma once

#include <cstddef>
#include <cstdint>

namespace cubcal {

/// Resamples that are worked out side by side: what is the same walk over the samples for all of
/// them is made once, in vector instructions.
inline constexpr std::size_t kLanes = 8;

/// How often one sample counts in each of them.
struct LaneCounts {
  std::int32_t of[kLanes] = {};
};

}  // namespace cubcal
