#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal_nn/bayes/split_norm.h"

/// The arithmetic of split_batch_norm: on a CPU plain loops, since of a few channels tensor
/// operations cost more than what they compute, on other devices tensor operations.
namespace cubcal {

/// Of the whole batch [B, C, H, W], per channel and in the type of the images.
struct WholeMoments {
  at::Tensor mean, variance;
  at::Tensor unbiased;  ///< variance, as running statistics have it
  at::Tensor scale;     ///< 1 / sqrt(variance + kNormEpsilon)
  double count = 0;     ///< values per channel
};

/// x is this part, contiguous in some memory format.
WholeMoments whole_moments(const at::Tensor& x, const AddUp& add_up);

/// What the way back through the norm needs of the whole batch.
struct WholeSlopes {
  at::Tensor weight, mean, scale;  ///< [C]
  at::Tensor sums;                 ///< float64 [2C]: sum(dy x^) and then sum(dy) of each channel
  double count = 0;
};

/// With n values per channel and x^ the normed x:
/// dx = weight scale (dy - sum(dy) / n - x^ sum(dy x^) / n).
at::Tensor through_split_norm(const at::Tensor& dy, const at::Tensor& x, const WholeSlopes& whole);

}  // namespace cubcal
