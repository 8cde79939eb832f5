#pragma once

#include <ATen/core/Tensor.h>

namespace cubcal::device {

/// Null for a tensor that is undefined.
template <class Number>
Number* pointer(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<Number*>(tensor.data_ptr()) : nullptr;
}

}  // namespace cubcal::device
