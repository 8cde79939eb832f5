#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "cubcal_nn/kernels/noise_words.h"

/// Random numbers that are functions of their place: every value depends on (seed, stream, pass)
/// and its own index alone, and so not on batch size, thread count or order; CPU and CUDA agree to
/// rounding.
namespace cubcal {

struct NoiseKey {
  std::uint64_t seed = 0;    ///< the run's seed
  std::uint64_t stream = 0;  ///< what the draw is for: the step in training, 0 in prediction
  std::uint32_t pass = 0;    ///< s, the Monte Carlo pass
};

NoiseWords normal_words(const NoiseKey& key);
/// The same of the dropout masks of one layer.
NoiseWords dropout_words(const NoiseKey& key, std::uint32_t layer);

/// Fills `out` (contiguous, float32 or float64, CPU or CUDA) with independent standard normal
/// values by Philox4x32-10 and Box-Muller in float32; |value| <= 6.77. They are those of the draw
/// from value `first` on, a multiple of four.
void normal_noise(at::Tensor out, const NoiseKey& key, std::int64_t first = 0);

/// Fills `out` with independent values of [0, 1) on a grid of 2^-24.
void uniform_noise(at::Tensor out, const NoiseKey& key);

/// The dropout mask of one layer: [B, features] with 0 where a unit is dropped (probability `rate`)
/// and 1/(1-rate) where it is kept. Row b belongs to the sample samples[b] of the data set, so its
/// mask is the same in whichever batch the sample comes. `layer` tells apart the dropout layers of
/// one network.
at::Tensor dropout_mask(const std::vector<std::int64_t>& samples, std::int64_t features,
                        double rate, std::uint32_t layer, const NoiseKey& key,
                        const at::TensorOptions& options);

}  // namespace cubcal
