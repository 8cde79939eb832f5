#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

/// Convolutions on the CPU by the products of patch_product.h and winograd.h: all images of a batch
/// together, with the weights as they lie in a flat buffer, which suits weights that are drawn anew
/// for every pass. Tensors are
/// float32: x [B, C, H, W] and weight [O, C, k, k]; results are contiguous and
/// the same bit for bit for any batch size and number of threads. Anything else throws
/// ArgumentError.
namespace cubcal {

struct FastConvOptions {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  /// Kernels of 3 x 3 at stride 1 by Winograd's filtering: faster from some tens of 2 x 2 squares
  /// of results on, with about twice the rounding error of the direct sum.
  bool winograd = false;
};

/// Whether these functions take such a convolution; they do no groups and no dilation.
bool fast_conv_takes(const at::Tensor& x, const at::Tensor& weight, std::int64_t dilation,
                     std::int64_t groups);

/// What follows a convolution in the same pass over its result: act(scale conv + bias + residual),
/// where act is ReLU or nothing; undefined tensors leave a part out. A batch norm at its running
/// statistics is a scale and a bias.
struct FastConvFinish {
  at::Tensor scale = {};     ///< [O]
  at::Tensor bias = {};      ///< [O]
  at::Tensor residual = {};  ///< of the shape of the result
  bool relu = false;
};

/// conv2d(x, weight), finished, for prediction: without autograd.
at::Tensor fast_conv2d(const at::Tensor& x, const at::Tensor& weight, const FastConvFinish& finish,
                       const FastConvOptions& options);

/// conv2d(x, weight) + bias with gradients to all three, for training; bias [O] or undefined.
at::Tensor fast_conv2d_training(const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor& bias, const FastConvOptions& options);

}  // namespace cubcal
