#pragma once

#include "cubcal_nn/kernels/fused_kernels.h"

/// The CUDA versions of the functions of fused_kernels.h, which checks what it hands on.
namespace cubcal::device {

bool has_kernels();
void draw(const FusedLayout& layout, const at::Tensor& mu, const at::Tensor& sigma,
          const at::Tensor& words, const NormAffine& affine, const at::Tensor& out);
void fold(const FusedLayout& layout, const at::Tensor& pointers, c10::ScalarType dtype,
          const at::Tensor& words, const at::Tensor& mu, const at::Tensor& sigma,
          const at::Tensor& prior_mean, const FoldOptions& options, const at::Tensor& mu_gradient,
          const at::Tensor& rho_gradient, const at::Tensor& kl);
void sum(const at::Tensor& pointers, const at::Tensor& places, const at::Tensor& sums);
void sgd(const at::Tensor& values, const at::Tensor& gradient, const at::Tensor& momentum,
         const FusedSgdOptions& options, const at::Tensor& controls);
void dropout_mask(const at::Tensor& mask, const at::Tensor& samples, const at::Tensor& words,
                  double rate);
void bias_act(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual, bool relu);
/// `width` is that of the map of patches.
void patches(const at::Tensor& x, const PatchOptions& options, std::int64_t width,
             const at::Tensor& patches);
/// Writes y, channels last as x.
void max_pool(const at::Tensor& x, const PatchOptions& window, const at::Tensor& y);
/// Writes y, channels last as x; the weights of a draw are contiguous.
void depthwise(const at::Tensor& x, const at::Tensor& weight, const PatchOptions& options,
               bool shared, const at::Tensor& y);

}  // namespace cubcal::device
