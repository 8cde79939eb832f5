#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "cubcal_nn/kernels/fast_conv_cpu.h"

/// Layers of prediction by fast_conv_cpu.h, under which an image has the same bits in any batch.
namespace cubcal {

/// Where Winograd's filtering pays for a lone image. Not asked of all images together, so that an
/// image has the same bits whatever it is predicted with.
bool wide_enough_for_winograd(const at::Tensor& x);

/// Whether these kernels are in force, no gradient is wanted, and they take such a layer.
bool conv_goes_by_panels(const at::Tensor& x, const at::Tensor& weight, std::int64_t dilation,
                         std::int64_t groups);
bool linear_goes_by_panels(const at::Tensor& x, const at::Tensor& weight);

/// x W^T + b with rows that round alike whatever their number; a BLAS may multiply few rows by
/// other kernels than many. An undefined bias is none.
at::Tensor linear_by_panels(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace cubcal
