#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cubcal {

enum class DType { kF16, kF32, kF64, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64, kBool };

/// Bytes per element.
std::size_t dtype_size(DType dtype);
/// "float32", "int64" and so on: the name NumPy gives it.
const char* dtype_name(DType dtype);
bool is_floating(DType dtype);

/// "(80, 367, 5)", as NumPy prints a shape.
std::string shape_text(const std::vector<std::size_t>& shape);

/// An owned array in C order and the machine's byte order: what files are read into and written
/// from. The memory is aligned for any element type and not initialised.
class NdArray {
 public:
  NdArray() = default;
  /// Throws DataError where the shape's byte count overflows.
  NdArray(DType dtype, std::vector<std::size_t> shape);
  /// Takes over memory that holds the elements already, aligned for their type.
  NdArray(DType dtype, std::vector<std::size_t> shape, std::shared_ptr<std::byte> memory);
  NdArray(NdArray&&) = default;
  NdArray& operator=(NdArray&&) = default;

  DType dtype() const { return dtype_; }
  const std::vector<std::size_t>& shape() const { return shape_; }
  std::size_t size() const { return size_; }
  std::size_t byte_size() const { return size_ * dtype_size(dtype_); }
  std::byte* bytes() { return data_.get(); }
  const std::byte* bytes() const { return data_.get(); }
  /// The memory itself, for someone who goes on using it.
  const std::shared_ptr<std::byte>& memory() const { return data_; }

  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_.get());
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_.get());
  }

  std::string shape_text() const { return cubcal::shape_text(shape_); }

 private:
  DType dtype_ = DType::kF64;
  std::vector<std::size_t> shape_;
  std::size_t size_ = 0;
  std::shared_ptr<std::byte> data_;
};

}  // namespace cubcal
