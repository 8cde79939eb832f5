#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal_nn/bayes/layers.h"

/// Layers whose weights come as S draws at once: each draw's weights meet that draw's rows alone.
/// Rows are ordered by draw: x is [S * N, ...], or [N, ...] where all draws still see the same
/// images. One image under 80 draws is thereby one convolution or batched matrix product per layer
/// and not 80 of one row.
namespace cubcal {

/// weight: [S, O, kernel, kernel, C / groups], channels last; x channels last, of the same type,
/// and [N, ...] if `shared`. Gives [S * N, O, H', W'] channels last.
at::Tensor batched_conv2d(const at::Tensor& x, const at::Tensor& weight,
                          const Conv2dOptions& options, bool shared, const ConvFinish& finish);

/// The last dimension in eights, as matrix units read it, with as many zeros behind as it takes.
at::Tensor in_eights(const at::Tensor& rows);

/// Adds what follows a convolution to its results, in place where they are channels last.
at::Tensor finished(const at::Tensor& y, const ConvFinish& finish);

/// x: [S * N, features], weight: [S, O, features], bias: [S, O].
at::Tensor batched_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace cubcal
