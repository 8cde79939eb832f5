#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal_nn/losses/objective.h"

namespace cubcal {

/// What one step comes to without KL, as tensors of the device.
struct StepTerms {
  StepLoss objective;
  at::Tensor cross_entropy;
  at::Tensor correct;  ///< images whose mean prediction is right
};

/// `class_weights` is [K] or undefined; `scalars` and `replayed` are as in StepInput.
StepTerms step_loss(const at::Tensor& logits, const at::Tensor& labels,
                    const at::Tensor& class_weights, const Objective& objective,
                    const at::Tensor& scalars, bool replayed);

/// Everything the host wants to know of a step in one tensor (float64), so that the device is read
/// once, and the reading of it. The first number is the loss.
at::Tensor pack_terms(const StepTerms& step, const at::Tensor& kl);
StepNumbers unpack_terms(const at::Tensor& packed, const Objective& objective, std::int64_t batch);

}  // namespace cubcal
