#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal_nn/bayes/layers.h"

/// A convolution of stride 2 over images of few channels, as the first layer of a network is, by
/// way of blocks of 2x2 pixels: the same products in another order, as a convolution of stride 1
/// with four times the channels and kernels of half the size, which matrix units are fed better by.
namespace cubcal {

/// Whether conv2d_of_blocks() takes them and is the quicker way: on a GPU, in bfloat16.
bool is_slow_stem(const at::Tensor& x, const Conv2dOptions& options);

/// x: [N, C, H, W] channels last, H and W with the padding even; weight: [O, C, kernel, kernel].
/// Stride 2, no groups, no dilation. Without bias, channels last.
at::Tensor conv2d_of_blocks(const at::Tensor& x, const at::Tensor& weight,
                            const Conv2dOptions& options);

}  // namespace cubcal
