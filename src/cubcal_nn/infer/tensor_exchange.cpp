#include "cubcal_nn/infer/tensor_exchange.h"

#include <ATen/ATen.h>

#include "cubcal/core/error.h"

namespace cubcal {

at::Tensor to_tensor(const NamedArray& entry, const std::string& file) {
  const NdArray& values = entry.values;
  c10::ScalarType type = at::kFloat;
  switch (values.dtype()) {
    case DType::kF16: type = at::kHalf; break;
    case DType::kF32: break;
    case DType::kF64: type = at::kDouble; break;
    default:
      throw DataError("the tensor '" + entry.name + "' of " + file + " is " +
                      dtype_name(values.dtype()) +
                      ", but weights must be float16, float32 or float64");
  }
  const std::vector<std::int64_t> shape(values.shape().begin(), values.shape().end());
  // The tensor is only read from.
  return at::from_blob(const_cast<std::byte*>(values.bytes()), shape, at::dtype(type));
}

HostTensors::HostTensors(const NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors) {
    tensors_.emplace_back(name, tensor.detach().cpu().contiguous());
  }
}

std::vector<TensorView> HostTensors::views() const {
  std::vector<TensorView> views;
  for (const auto& [name, tensor] : tensors_) {
    const std::vector<std::size_t> shape(tensor.sizes().begin(), tensor.sizes().end());
    views.push_back({name, tensor.scalar_type() == at::kDouble ? DType::kF64 : DType::kF32, shape,
                     static_cast<const std::byte*>(tensor.data_ptr())});
  }
  return views;
}

}  // namespace cubcal
