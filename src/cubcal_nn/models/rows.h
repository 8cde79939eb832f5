#pragma once

#include <ATen/ATen.h>

#include "cubcal_nn/bayes/layers.h"

namespace cubcal {

/// A linear layer on the last dimension of x, which has more than two. The layer itself knows rows
/// alone, whose order, by draw where there are several, this keeps.
inline at::Tensor by_rows(const Linear& layer, const at::Tensor& x, const ForwardContext& context) {
  std::vector<std::int64_t> shape = x.sizes().vec();
  const at::Tensor y = layer(x.reshape({-1, shape.back()}), context);
  shape.back() = y.size(1);
  return y.view(shape);
}

}  // namespace cubcal
