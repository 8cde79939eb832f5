#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal_nn/bayes/layers.h"

/// Layers whose weights come as S draws at once: each draw's weights meet that draw's rows alone.
/// Rows are ordered by draw: x is [S * N, ...], or [N, ...] where all draws still see the same
/// images. One image under 80 draws is thereby a batched matrix product per layer and not 80
/// products of one row.
namespace cubcal {

/// weight: [S, O, kernel, kernel, C / groups], channels last; x channels last, of the same type,
/// and [N, ...] if `shared`. Gives [S * N, O, H', W'] channels last, without bias.
at::Tensor batched_conv2d(const at::Tensor& x, const at::Tensor& weight,
                          const Conv2dOptions& options, bool shared);

/// x: [S * N, features], weight: [S, O, features], bias: [S, O].
at::Tensor batched_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace cubcal
