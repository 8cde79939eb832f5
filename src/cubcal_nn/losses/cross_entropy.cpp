#include "cubcal_nn/losses/cross_entropy.h"

#include <ATen/ATen.h>

namespace cubcal {

at::Tensor expected_cross_entropy(const at::Tensor& logits, const at::Tensor& labels,
                                  const at::Tensor& class_weights) {
  const at::Tensor index = labels.view({1, -1, 1}).expand({logits.size(0), -1, 1});
  const at::Tensor per_sample = -at::log_softmax(logits, 2).gather(2, index).squeeze(2).mean(0);
  if (!class_weights.defined()) return per_sample.mean();
  const at::Tensor weights = class_weights.to(per_sample.options()).index_select(0, labels);
  return (weights * per_sample).sum() / weights.sum();
}

}  // namespace cubcal
