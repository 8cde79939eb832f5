#pragma once

#include "cubcal_nn/kernels/draws_conv.h"

/// The CUDA version of draws_conv.h, which checks what it hands on.
namespace cubcal::device {

/// Whether this build and the current device have it.
bool has_draws_conv();
void draws_conv(const at::Tensor& x, const at::Tensor& weight, const PatchOptions& options,
                bool shared, const ConvFinish& finish, const at::Tensor& y);

}  // namespace cubcal::device
