#pragma once

#include <cstddef>

#include "cubcal/uncertainty/mc_logits.h"

namespace cubcal {

/// Samples handled together by the softmax kernel: enough to fill vectors, few enough that a tile
/// of one pass stays in the first-level cache.
std::size_t tile_width(std::size_t classes);

/// Writes shifted[k * width + i] = z - max_k z for sample `samples[i]` of one pass, as double, and
/// zeros into the lanes from `count` to `width`. Returns false when a logit is NaN or infinite.
bool load_shifted(const McLogits& logits, std::size_t pass, const std::size_t* samples,
                  std::size_t count, std::size_t width, double* shifted);

/// Throws the DataError that names the first NaN or infinite logit of these samples.
[[noreturn]] void throw_not_finite(const McLogits& logits, const std::size_t* samples,
                                   std::size_t count);

}  // namespace cubcal
