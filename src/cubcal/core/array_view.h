#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace cubcal {

/// A non-owning view of contiguous values (std::span for C++17, as far as this project needs it).
template <class T>
class ArrayView {
 public:
  ArrayView() = default;
  ArrayView(T* data, std::size_t size) : data_(data), size_(size) {}
  ArrayView(const std::vector<std::remove_const_t<T>>& values)  // NOLINT: meant to convert
      : data_(values.data()), size_(values.size()) {
    static_assert(std::is_const_v<T>, "a mutable view needs a mutable vector");
  }
  ArrayView(std::vector<std::remove_const_t<T>>& values)  // NOLINT: meant to convert
      : data_(values.data()), size_(values.size()) {}

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cubcal
