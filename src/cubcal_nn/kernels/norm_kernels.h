#pragma once

#include <ATen/core/Tensor.h>

/// Batch norm of a training batch and what follows it (a residual, ReLU), each way in passes over
/// the images that read and write each number once. What autograd would keep for the way back can
/// be made again from x: norm_apply() gives the same bits every time.
///
/// x: [B, C, H, W], channels last, float32 or bfloat16 (on the CPU also float64). What is kept per
/// channel is float32 (float64 for float64). CUDA runs kernels on the current stream; the CPU plain
/// operations, which the tests hold CUDA against.
namespace cubcal {

/// Of each channel of a batch: its mean and 1 / sqrt(variance + epsilon).
struct NormMoments {
  at::Tensor mean, scale;
};

/// A batch norm: weight and bias [C], and where it leaves the mean and the unbiased variance of the
/// batch, for whoever moves the running ones.
struct NormPlace {
  at::Tensor weight, bias;
  at::Tensor batch_mean, batch_variance;
};

NormMoments norm_moments(const at::Tensor& x, const NormPlace& norm, double epsilon);

/// (x - mean) scale weight + bias (+ residual), then ReLU if asked. The residual is like x, or
/// undefined.
at::Tensor norm_apply(const at::Tensor& x, const NormMoments& moments, const NormPlace& norm,
                      const at::Tensor& residual, bool relu);

/// Which of the gradients arrive: all, those where (x - mean) scale weight + bias is above 0, or
/// those where `result` (of norm_apply with a residual) is.
enum class NormGate { kOpen, kOwnRelu, kResult };

struct NormGradients {
  at::Tensor x, weight, bias;
  at::Tensor residual;  ///< what passed the gate; undefined unless asked for
};

struct NormBackOptions {
  NormGate gate = NormGate::kOpen;
  at::Tensor result = {};  ///< with kResult
  bool of_residual = false;
};

NormGradients norm_backward(const at::Tensor& gradient, const at::Tensor& x,
                            const NormMoments& moments, const NormPlace& norm,
                            const NormBackOptions& options);

}  // namespace cubcal
