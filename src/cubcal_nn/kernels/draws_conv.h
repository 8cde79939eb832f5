#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal_nn/kernels/fused_kernels.h"

/// A convolution under many draws of its weights at once, on the matrix units of a GPU, without
/// writing the patches it sees.
namespace cubcal {

/// What follows a convolution: y + bias (+ residual), then ReLU if asked.
struct ConvFinish {
  at::Tensor bias = {};      ///< [O], or [S, O] with S draws; float32 or of the weights' type
  at::Tensor residual = {};  ///< like the result, or undefined
  bool relu = false;
};

/// Whether draws_conv() takes them: bfloat16 on a GPU with such units, channels in and out in
/// eights, a kernel of at most 5x5.
bool draws_conv_takes(const at::Tensor& x, const at::Tensor& weight, const PatchOptions& options);

/// x: [S * N, C, H, W] ordered by draw, or [N, C, H, W] if all draws see the same images
/// (`shared`), channels last; weight: [S, O, kernel, kernel, C], each draw contiguous. Gives [S *
/// N, O, H', W'] channels last.
at::Tensor draws_conv(const at::Tensor& x, const at::Tensor& weight, const PatchOptions& options,
                      bool shared, const ConvFinish& finish);

}  // namespace cubcal
