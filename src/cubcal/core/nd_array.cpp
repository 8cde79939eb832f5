#include "cubcal/core/nd_array.h"

#include <limits>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

struct DTypeFacts {
  std::size_t size;
  const char* name;
};

DTypeFacts facts(DType dtype) {
  switch (dtype) {
    case DType::kF16: return {2, "float16"};
    case DType::kF32: return {4, "float32"};
    case DType::kF64: return {8, "float64"};
    case DType::kI8: return {1, "int8"};
    case DType::kI16: return {2, "int16"};
    case DType::kI32: return {4, "int32"};
    case DType::kI64: return {8, "int64"};
    case DType::kU8: return {1, "uint8"};
    case DType::kU16: return {2, "uint16"};
    case DType::kU32: return {4, "uint32"};
    case DType::kU64: return {8, "uint64"};
    case DType::kBool: return {1, "bool"};
  }
  return {1, "unknown"};
}

}  // namespace

std::size_t dtype_size(DType dtype) { return facts(dtype).size; }

const char* dtype_name(DType dtype) { return facts(dtype).name; }

bool is_floating(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kF32 || dtype == DType::kF64;
}

NdArray::NdArray(DType dtype, std::vector<std::size_t> shape)
    : NdArray(dtype, std::move(shape), nullptr) {
  data_.reset(new std::byte[byte_size()], std::default_delete<std::byte[]>());
}

NdArray::NdArray(DType dtype, std::vector<std::size_t> shape, std::shared_ptr<std::byte> memory)
    : dtype_(dtype), shape_(std::move(shape)), size_(1), data_(std::move(memory)) {
  const std::size_t limit =
      static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / dtype_size(dtype);
  for (const std::size_t extent : shape_) {
    if (extent != 0 && size_ > limit / extent) {
      throw DataError("an array of shape " + shape_text() + " is too large to address");
    }
    size_ *= extent;
  }
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace cubcal
