#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace cubcal {

/// The values of an int64 tensor on any device, in C order.
std::vector<std::int64_t> values_of(const at::Tensor& tensor);

}  // namespace cubcal
