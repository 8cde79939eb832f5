#pragma once

#include <ATen/core/Tensor.h>

namespace cubcal {

/// The data term of the ELBO: mean over passes of the cross entropy of each sample, not the cross
/// entropy of averaged predictions. logits [S, B, K], labels [B] int64; a scalar.
///
/// With class_weights [K] (undefined: none) it is sum_i w(y_i) CE_i / sum_i w(y_i).
at::Tensor expected_cross_entropy(const at::Tensor& logits, const at::Tensor& labels,
                                  const at::Tensor& class_weights = {});

}  // namespace cubcal
