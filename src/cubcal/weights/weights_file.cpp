#include "cubcal/weights/weights_file.h"

#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/core/half.h"
#include "cubcal/io/utf8.h"
#include "cubcal/weights/safetensors.h"
#include "cubcal/weights/tensor_path.h"

namespace cubcal {

namespace {

template <class T>
NdArray narrowed(const NamedArray& entry) {
  NdArray values(DType::kF16, entry.values.shape());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Half value = to_half(static_cast<float>(entry.values.as<T>()[i]));
    if (!std::isfinite(to_float(value))) {
      throw DataError("the tensor " + in_quotes(entry.name) +
                      " holds a value that is not finite in float16");
    }
    values.as<Half>()[i] = value;
  }
  return values;
}

template <class T>
void check_finite(const NamedArray& entry) {
  const T* values = entry.values.as<T>();
  for (std::size_t i = 0; i < entry.values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw DataError("the tensor " + in_quotes(entry.name) + " holds a value that is not finite");
    }
  }
}

NdArray as_written(const NamedArray& entry, bool half) {
  const DType dtype = entry.values.dtype();
  const bool wide = dtype == DType::kF32 || dtype == DType::kF64;
  if (half && wide && entry.values.shape().size() > 1) {
    return dtype == DType::kF32 ? narrowed<float>(entry) : narrowed<double>(entry);
  }
  if (dtype == DType::kF32) check_finite<float>(entry);
  if (dtype == DType::kF64) check_finite<double>(entry);
  return NdArray(dtype, entry.values.shape(), entry.values.memory());
}

}  // namespace

WeightsFileReport write_weights_file(const std::string& path, const StateDict& weights,
                                     const WeightsFileOptions& options) {
  WeightsFileReport report;
  StateDict kept;
  for (const NamedArray& entry : weights) {
    if (entry.name.compare(0, options.strip_prefix.size(), options.strip_prefix) != 0) {
      throw DataError("the name " + in_quotes(entry.name) + " does not start with " +
                      in_quotes(options.strip_prefix));
    }
    std::string name = entry.name.substr(options.strip_prefix.size());
    if (lies_under(name, options.ignore)) {
      report.ignored.push_back(entry.name);
    } else {
      kept.add(std::move(name), as_written(entry, options.half));
    }
  }
  if (kept.size() == 0) {
    throw DataError("no tensor is left to write to '" + path + "'");
  }
  // What PyTorch's own loaders look for.
  write_safetensors(path, kept, {{"format", "pt"}});
  report.written = kept.size();
  return report;
}

}  // namespace cubcal
