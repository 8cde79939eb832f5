#include "cubcal/uncertainty/logit_tile.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

// Far below what exp can tell from 0, and far enough from overflow to be divided by a temperature.
constexpr double kLowestShift = -1e200;

double widen(Half value) { return to_float(value); }
double widen(float value) { return value; }
double widen(double value) { return value; }

/// Transposes the samples' logits into lanes. ClassesKnown > 0 lets the compiler unroll.
template <std::size_t ClassesKnown, class T>
void transpose(const T* pass, std::size_t classes_given, const std::size_t* samples,
               std::size_t count, double* __restrict lanes) {
  const std::size_t classes = ClassesKnown > 0 ? ClassesKnown : classes_given;
  for (std::size_t i = 0; i < count; ++i) {
    const T* z = pass + samples[i] * classes;
    for (std::size_t k = 0; k < classes; ++k) lanes[k * kTileWidth + i] = widen(z[k]);
  }
}

/// Subtracts each lane's maximum; false when a value is NaN or infinite.
bool subtract_maximum(std::size_t classes, double* __restrict lanes) {
  double largest[kTileWidth];
  double poison[kTileWidth] = {};  // becomes NaN as soon as one value is not finite
  for (std::size_t i = 0; i < kTileWidth; ++i) largest[i] = lanes[i];
  for (std::size_t k = 1; k < classes; ++k) {
    const double* __restrict z = lanes + k * kTileWidth;
    for (std::size_t i = 0; i < kTileWidth; ++i) largest[i] = z[i] > largest[i] ? z[i] : largest[i];
  }
  for (std::size_t k = 0; k < classes; ++k) {
    double* __restrict z = lanes + k * kTileWidth;
    for (std::size_t i = 0; i < kTileWidth; ++i) {
      poison[i] += z[i] * 0.0;
      const double shifted = z[i] - largest[i];
      z[i] = shifted > kLowestShift ? shifted : kLowestShift;
    }
  }
  return std::all_of(poison, poison + kTileWidth, [](double value) { return value == 0.0; });
}

template <class T>
void transpose_any(const McLogits& logits, std::size_t pass_index, const std::size_t* samples,
                   std::size_t count, double* shifted) {
  const std::size_t classes = logits.classes();
  const T* pass = static_cast<const T*>(logits.data()) + pass_index * logits.samples() * classes;
  switch (classes) {
    case 2: return transpose<2>(pass, classes, samples, count, shifted);
    case 3: return transpose<3>(pass, classes, samples, count, shifted);
    case 4: return transpose<4>(pass, classes, samples, count, shifted);
    case 5: return transpose<5>(pass, classes, samples, count, shifted);
    case 7: return transpose<7>(pass, classes, samples, count, shifted);
    default: return transpose<0>(pass, classes, samples, count, shifted);
  }
}

double logit_at(const McLogits& logits, std::size_t flat_index) {
  switch (logits.dtype()) {
    case DType::kF16: return widen(static_cast<const Half*>(logits.data())[flat_index]);
    case DType::kF32: return widen(static_cast<const float*>(logits.data())[flat_index]);
    default: return static_cast<const double*>(logits.data())[flat_index];
  }
}

}  // namespace

bool load_shifted(const McLogits& logits, std::size_t pass, const std::size_t* samples,
                  std::size_t count, double* shifted) {
  switch (logits.dtype()) {
    case DType::kF16: transpose_any<Half>(logits, pass, samples, count, shifted); break;
    case DType::kF32: transpose_any<float>(logits, pass, samples, count, shifted); break;
    default: transpose_any<double>(logits, pass, samples, count, shifted); break;
  }
  for (std::size_t k = 0; k < logits.classes(); ++k) {
    std::fill(shifted + k * kTileWidth + count, shifted + (k + 1) * kTileWidth, 0.0);
  }
  return subtract_maximum(logits.classes(), shifted);
}

void throw_not_finite(const McLogits& logits) {
  for (std::size_t s = 0; s < logits.passes(); ++s) {
    for (std::size_t i = 0; i < logits.samples(); ++i) {
      for (std::size_t k = 0; k < logits.classes(); ++k) {
        const double value = logit_at(logits, (s * logits.samples() + i) * logits.classes() + k);
        if (std::isfinite(value)) continue;
        const char* name = std::isnan(value) ? "NaN" : "infinite";
        throw DataError("logits must be finite, but the one at [pass " + std::to_string(s) +
                        ", sample " + std::to_string(i) + ", class " + std::to_string(k) + "] is " +
                        name);
      }
    }
  }
  throw DataError("logits must be finite");
}

}  // namespace cubcal
