#pragma once

#include <cstddef>

#include "cubcal/uncertainty/mc_logits.h"

namespace cubcal {

/// Samples handled together, side by side in lanes. As a constant it lets the compiler keep the
/// sums over classes in vector registers.
inline constexpr std::size_t kTileWidth = 16;

/// Writes shifted[k * kTileWidth + i] = z - max_k z for sample `samples[i]` of one pass, and zeros
/// into the lanes from `count` on. Returns false when a logit is NaN or infinite. Values too far
/// below the maximum to matter are raised to a bound that no temperature makes overflow.
bool load_shifted(const McLogits& logits, std::size_t pass, const std::size_t* samples,
                  std::size_t count, double* shifted);
/// In single precision, which float16 and float32 logits fit into.
bool load_shifted(const McLogits& logits, std::size_t pass, const std::size_t* samples,
                  std::size_t count, float* shifted);

/// Throws the DataError that names the first NaN or infinite logit in memory order, the same one
/// whichever tile and thread met one first.
[[noreturn]] void throw_not_finite(const McLogits& logits);

}  // namespace cubcal
