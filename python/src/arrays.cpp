#include "arrays.h"

#include <type_traits>

#include "cubcal/core/error.h"

namespace cubcal::python {

namespace py = pybind11;

namespace {

DType floating_type(const std::string& format) {
  if (format == "e") return DType::kF16;
  if (format == "f") return DType::kF32;
  if (format == "d") return DType::kF64;
  throw DataError("an array must be float16, float32 or float64, not of the format '" + format +
                  "'");
}

const char* format_of(DType dtype) {
  switch (dtype) {
    case DType::kF16: return "e";
    case DType::kF32: return "f";
    default: return "d";
  }
}

void check_order(const py::buffer_info& info) {
  py::ssize_t expected = info.itemsize;
  for (std::size_t axis = info.shape.size(); axis-- > 0;) {
    if (info.shape[axis] > 1 && info.strides[axis] != expected) {
      throw DataError("an array must be in C order without gaps");
    }
    expected *= info.shape[axis];
  }
}

std::vector<std::size_t> shape_of(const py::buffer_info& info) {
  return {info.shape.begin(), info.shape.end()};
}

/// The letters that formats of this type have: int64 is 'l' or 'q' as the platform will.
template <class T>
std::string kinds_of() {
  return std::is_floating_point_v<T> ? "d" : "lq";
}

template <class T>
py::buffer_info vector_request(const py::buffer& buffer) {
  py::buffer_info info = buffer.request();
  check_order(info);
  if (info.ndim != 1 || info.itemsize != sizeof(T) ||
      kinds_of<T>().find(info.format) == std::string::npos) {
    throw DataError("a vector must have one axis and the format '" +
                    py::format_descriptor<T>::format() + "', not " + std::to_string(info.ndim) +
                    " axes of '" + info.format + "'");
  }
  return info;
}

}  // namespace

FloatsIn::FloatsIn(const py::buffer& buffer) : info_(buffer.request()) {
  check_order(info_);
  // The view never writes; NdArray owns memory elsewhere and so has no const one.
  std::shared_ptr<std::byte> borrowed(static_cast<std::byte*>(info_.ptr), [](std::byte*) {});
  array_ = NdArray(floating_type(info_.format), shape_of(info_), std::move(borrowed));
}

template <class T>
VectorIn<T>::VectorIn(const py::buffer& buffer)
    : info_(vector_request<T>(buffer)), size_(static_cast<std::size_t>(info_.size)) {}

template class VectorIn<double>;
template class VectorIn<std::int64_t>;

ArrayOut array_out(NdArray&& array) {
  std::vector<py::ssize_t> shape(array.shape().begin(), array.shape().end());
  return {array.memory(), array.bytes(), static_cast<py::ssize_t>(dtype_size(array.dtype())),
          format_of(array.dtype()), std::move(shape)};
}

void bind_arrays(py::module_& module) {
  py::class_<ArrayOut>(module, "Array", py::buffer_protocol(),
                       "Memory of a result; numpy.asarray looks at it in place.")
      .def_buffer([](ArrayOut& array) {
        std::vector<py::ssize_t> strides(array.shape.size());
        py::ssize_t stride = array.item_size;
        for (std::size_t axis = array.shape.size(); axis-- > 0;) {
          strides[axis] = stride;
          stride *= array.shape[axis];
        }
        return py::buffer_info(const_cast<void*>(array.data), array.item_size, array.format,
                               static_cast<py::ssize_t>(array.shape.size()), array.shape, strides,
                               /*readonly=*/true);
      });
}

}  // namespace cubcal::python
