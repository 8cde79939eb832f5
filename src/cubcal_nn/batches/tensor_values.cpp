#include "cubcal_nn/batches/tensor_values.h"

namespace cubcal {

std::vector<std::int64_t> values_of(const at::Tensor& tensor) {
  const at::Tensor values = tensor.cpu().contiguous();
  const auto* first = values.data_ptr<std::int64_t>();
  return {first, first + values.numel()};
}

}  // namespace cubcal
