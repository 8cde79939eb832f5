#include "cubcal/uncertainty/logit_tile.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

// Far below what exp can tell from 0, and far enough from overflow to be divided by a temperature.
constexpr double lowest_shift(double) { return -1e200; }
constexpr float lowest_shift(float) { return -1e18F; }

float widen(Half value) { return to_float(value); }
float widen(float value) { return value; }
double widen(double value) { return value; }

/// Transposes the samples' logits into lanes. ClassesKnown > 0 lets the compiler unroll.
template <std::size_t ClassesKnown, class T, class Real>
void transpose(const T* pass, std::size_t classes_given, const std::size_t* samples,
               std::size_t count, Real* __restrict lanes) {
  const std::size_t classes = ClassesKnown > 0 ? ClassesKnown : classes_given;
  for (std::size_t i = 0; i < count; ++i) {
    const T* z = pass + samples[i] * classes;
    for (std::size_t k = 0; k < classes; ++k)
      lanes[k * kTileWidth + i] = static_cast<Real>(widen(z[k]));
  }
}

/// Subtracts each lane's maximum; false when a value is NaN or infinite.
template <class Real>
bool subtract_maximum(std::size_t classes, Real* __restrict lanes) {
  Real largest[kTileWidth];
  Real poison[kTileWidth] = {};  // becomes NaN as soon as one value is not finite
  for (std::size_t i = 0; i < kTileWidth; ++i) largest[i] = lanes[i];
  for (std::size_t k = 1; k < classes; ++k) {
    const Real* __restrict z = lanes + k * kTileWidth;
    for (std::size_t i = 0; i < kTileWidth; ++i) largest[i] = z[i] > largest[i] ? z[i] : largest[i];
  }
  for (std::size_t k = 0; k < classes; ++k) {
    Real* __restrict z = lanes + k * kTileWidth;
    for (std::size_t i = 0; i < kTileWidth; ++i) {
      poison[i] += z[i] * Real{0};
      const Real shifted = z[i] - largest[i];
      z[i] = shifted > lowest_shift(Real{}) ? shifted : lowest_shift(Real{});
    }
  }
  return std::all_of(poison, poison + kTileWidth, [](Real value) { return value == Real{0}; });
}

template <class T, class Real>
void transpose_any(const McLogits& logits, std::size_t pass_index, const std::size_t* samples,
                   std::size_t count, Real* shifted) {
  const std::size_t classes = logits.classes();
  const T* pass = static_cast<const T*>(logits.data()) + pass_index * logits.samples() * classes;
  switch (classes) {
    case 2: return transpose<2>(pass, classes, samples, count, shifted);
    case 3: return transpose<3>(pass, classes, samples, count, shifted);
    case 4: return transpose<4>(pass, classes, samples, count, shifted);
    case 5: return transpose<5>(pass, classes, samples, count, shifted);
    case 6: return transpose<6>(pass, classes, samples, count, shifted);
    case 7: return transpose<7>(pass, classes, samples, count, shifted);
    case 8: return transpose<8>(pass, classes, samples, count, shifted);
    case 9: return transpose<9>(pass, classes, samples, count, shifted);
    case 10: return transpose<10>(pass, classes, samples, count, shifted);
    default: return transpose<0>(pass, classes, samples, count, shifted);
  }
}

template <class Real>
bool finish_loading(std::size_t classes, std::size_t count, Real* shifted) {
  for (std::size_t k = 0; k < classes; ++k) {
    std::fill(shifted + k * kTileWidth + count, shifted + (k + 1) * kTileWidth, Real{0});
  }
  return subtract_maximum(classes, shifted);
}

}  // namespace

bool load_shifted(const McLogits& logits, std::size_t pass, const std::size_t* samples,
                  std::size_t count, double* shifted) {
  switch (logits.dtype()) {
    case DType::kF16: transpose_any<Half>(logits, pass, samples, count, shifted); break;
    case DType::kF32: transpose_any<float>(logits, pass, samples, count, shifted); break;
    default: transpose_any<double>(logits, pass, samples, count, shifted); break;
  }
  return finish_loading(logits.classes(), count, shifted);
}

bool load_shifted(const McLogits& logits, std::size_t pass, const std::size_t* samples,
                  std::size_t count, float* shifted) {
  if (logits.dtype() == DType::kF16) {
    transpose_any<Half>(logits, pass, samples, count, shifted);
  } else {
    transpose_any<float>(logits, pass, samples, count, shifted);
  }
  return finish_loading(logits.classes(), count, shifted);
}

void throw_not_finite(const McLogits& logits) {
  for (std::size_t s = 0; s < logits.passes(); ++s) {
    for (std::size_t i = 0; i < logits.samples(); ++i) {
      for (std::size_t k = 0; k < logits.classes(); ++k) {
        const double value = logits.at(s, i, k);
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
