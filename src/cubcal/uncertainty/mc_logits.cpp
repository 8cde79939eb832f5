#include "cubcal/uncertainty/mc_logits.h"

#include <string>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"

namespace cubcal {

namespace {

std::size_t extent_from_end(const NdArray& array, std::size_t from_end) {
  const auto& shape = array.shape();
  if (shape.size() != 2 && shape.size() != 3) {
    throw DataError("logits must have shape [S, N, K] or [N, K], not " + array.shape_text());
  }
  if (!is_floating(array.dtype())) {
    throw DataError(std::string("logits must be float16, float32 or float64, not ") +
                    dtype_name(array.dtype()));
  }
  return from_end < shape.size() ? shape[shape.size() - 1 - from_end] : 1;
}

}  // namespace

McLogits::McLogits(DType dtype, const void* data, std::size_t passes, std::size_t samples,
                   std::size_t classes)
    : dtype_(dtype), data_(data), passes_(passes), samples_(samples), classes_(classes) {
  if (passes == 0 || samples == 0 || classes < 2) {
    throw DataError(
        "logits need at least 1 pass, 1 sample and 2 classes, not [S=" + std::to_string(passes) +
        ", N=" + std::to_string(samples) + ", K=" + std::to_string(classes) + "]");
  }
}

McLogits::McLogits(const NdArray& array)
    : McLogits(array.dtype(), array.bytes(), extent_from_end(array, 2), extent_from_end(array, 1),
               extent_from_end(array, 0)) {}

McLogits::McLogits(const Half* data, std::size_t passes, std::size_t samples, std::size_t classes)
    : McLogits(DType::kF16, data, passes, samples, classes) {}

McLogits::McLogits(const float* data, std::size_t passes, std::size_t samples, std::size_t classes)
    : McLogits(DType::kF32, data, passes, samples, classes) {}

McLogits::McLogits(const double* data, std::size_t passes, std::size_t samples, std::size_t classes)
    : McLogits(DType::kF64, data, passes, samples, classes) {}

double McLogits::at(std::size_t pass, std::size_t sample, std::size_t label) const {
  const std::size_t index = (pass * samples_ + sample) * classes_ + label;
  switch (dtype_) {
    case DType::kF16: return to_float(static_cast<const Half*>(data_)[index]);
    case DType::kF32: return static_cast<const float*>(data_)[index];
    default: return static_cast<const double*>(data_)[index];
  }
}

std::string logits_hash(const McLogits& logits) {
  ContentHash hash;
  hash.add(dtype_name(logits.dtype()));
  for (const std::size_t length : {logits.passes(), logits.samples(), logits.classes()}) {
    hash.add(std::to_string(length));
  }
  const std::size_t count = logits.passes() * logits.samples() * logits.classes();
  hash.add(logits.data(), count * dtype_size(logits.dtype()));
  return hash.text();
}

}  // namespace cubcal
