#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "cubcal/core/array_view.h"
#include "cubcal/core/nd_array.h"

/// Arrays cross the border through Python's buffer protocol alone, so that the extension knows no
/// ABI of NumPy and goes with every version of it.
namespace cubcal::python {

/// A float16, float32 or float64 array in C order, as the Python side makes it: seen, not copied.
/// The array lives as long as this object, which is to be destroyed with the GIL held.
class FloatsIn {
 public:
  /// Throws DataError for another type or layout.
  explicit FloatsIn(const pybind11::buffer& buffer);
  const NdArray& array() const { return array_; }

 private:
  pybind11::buffer_info info_;
  NdArray array_;
};

/// The same for a vector of one type.
template <class T>
class VectorIn {
 public:
  explicit VectorIn(const pybind11::buffer& buffer);
  ArrayView<const T> view() const { return {static_cast<const T*>(info_.ptr), size_}; }
  std::vector<T> copy() const { return {view().begin(), view().end()}; }

 private:
  pybind11::buffer_info info_;
  std::size_t size_;
};

extern template class VectorIn<double>;
extern template class VectorIn<std::int64_t>;

/// A result that NumPy looks at in place, read-only: np.asarray(it) keeps it, and it keeps what
/// owns the memory.
struct ArrayOut {
  std::shared_ptr<const void> owner;
  const void* data;
  pybind11::ssize_t item_size;
  std::string format;
  std::vector<pybind11::ssize_t> shape;
};

template <class T>
ArrayOut array_out(std::shared_ptr<const void> owner, const std::vector<T>& values,
                   std::vector<pybind11::ssize_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<pybind11::ssize_t>(values.size())};
  return {std::move(owner), values.data(), sizeof(T), pybind11::format_descriptor<T>::format(),
          std::move(shape)};
}

/// Values that nobody else owns.
template <class T>
ArrayOut array_out(std::vector<T>&& values) {
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  return array_out(owner, *owner);
}

/// Of a whole array.
ArrayOut array_out(NdArray&& array);

void bind_arrays(pybind11::module_& module);

}  // namespace cubcal::python
