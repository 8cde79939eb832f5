#pragma once

#include <cstdint>

#include "cubcal_nn/kernels/noise_words.h"

/// The standard normal values of a draw in pieces that fit the innermost cache, for loops that use
/// them at once: value i is the one normal_noise() writes at index i, bit for bit.
namespace cubcal {

inline constexpr std::int64_t kNormalBlock = 256;

/// Values [first, first + kNormalBlock) of the draw; first is a multiple of four.
void normal_block(std::int64_t first, const NoiseWords& words, float (&values)[kNormalBlock]);

}  // namespace cubcal
