#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace cubcal {

/// Adds up a tensor of all processes that have a part of the batch, in place.
using AddUp = std::function<void(const at::Tensor&)>;

struct SplitNormOptions {
  double momentum = 0.1;  ///< of the running statistics
  AddUp add_up;
};

/// Batch norm in training over a batch of which this process has a part: mean and variance are
/// those of the whole batch, forwards and backwards, so that the output of an image is the same to
/// rounding whoever computes it. Two exchanges of a few numbers per channel, one each way. The
/// running statistics, which are moved, stay the same everywhere; the gradients of weight and bias
/// are this part's, which add up to the whole batch's.
at::Tensor split_batch_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& running_mean, const at::Tensor& running_var,
                            const SplitNormOptions& options);

}  // namespace cubcal
