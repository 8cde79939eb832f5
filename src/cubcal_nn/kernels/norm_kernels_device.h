#pragma once

#include "cubcal_nn/kernels/norm_kernels.h"

/// The CUDA versions of the functions of norm_kernels.h, which makes their results.
namespace cubcal::device {

void norm_moments(const at::Tensor& x, const NormPlace& norm, double epsilon,
                  const NormMoments& moments);
void norm_apply(const at::Tensor& x, const NormMoments& moments, const NormPlace& norm,
                const at::Tensor& residual, bool relu, const at::Tensor& y);
void norm_backward(const at::Tensor& gradient, const at::Tensor& x, const NormMoments& moments,
                   const NormPlace& norm, const NormBackOptions& options,
                   const NormGradients& gradients);

}  // namespace cubcal::device
