#pragma once

#include <array>
#include <cstdint>

namespace cubcal {

/// Whether this build has the CUDA kernel below; without it noise is made on the CPU and copied.
bool has_device_noise();

/// The values normal_noise makes from value `first` on, in the memory of the current CUDA device at
/// `out` and on its current stream: the same words of Philox, turned into numbers by the same
/// formula, equal to rounding. `derived` is the key of the draw and the upper half of its counter.
void normal_noise_on_device(float* out, std::int64_t first, std::int64_t count,
                            const std::array<std::uint32_t, 4>& derived);

}  // namespace cubcal
