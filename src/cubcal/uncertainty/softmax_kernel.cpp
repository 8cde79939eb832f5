#include "cubcal/uncertainty/softmax_kernel.h"

#include <type_traits>

#include "cubcal/core/vector_exp.h"
#include "cubcal/uncertainty/vector_clones.h"

namespace cubcal {

namespace {

/// Multiplies the exponentials by the ratios first, unless they are const.
template <class Exponential>
inline __attribute__((always_inline)) void accumulate_passes(const double* __restrict ratios,
                                                             std::size_t passes,
                                                             std::size_t classes,
                                                             Exponential* __restrict exponentials,
                                                             double* __restrict probability_sums) {
  constexpr std::size_t width = kTileWidth;
  for (std::size_t s = 0; s < passes; ++s) {
    const double* __restrict r = ratios + s * classes * width;
    Exponential* __restrict e = exponentials + s * classes * width;
    double inverse_sum[width] = {};
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t i = 0; i < width; ++i) {
        if constexpr (!std::is_const_v<Exponential>) e[k * width + i] *= r[k * width + i];
        inverse_sum[i] += e[k * width + i];
      }
    }
    for (std::size_t i = 0; i < width; ++i) inverse_sum[i] = 1.0 / inverse_sum[i];
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t i = 0; i < width; ++i) {
        probability_sums[k * width + i] += e[k * width + i] * inverse_sum[i];
      }
    }
  }
}

// Compilers believe __restrict of parameters, not of local pointers.
template <class Real>
inline __attribute__((always_inline)) void accumulate_pass(
    const Real* __restrict shifted, const Real* __restrict inverse_temperature, std::size_t classes,
    Real* __restrict scratch, double* __restrict probability_sums, double* __restrict tail_product,
    double* __restrict weighted_shift) {
  constexpr std::size_t width = kTileWidth;
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t i = 0; i < width; ++i) {
      scratch[k * width + i] = exp_nonpositive(shifted[k * width + i] * inverse_temperature[i]);
    }
  }
  // `tail` is sum_k e_k - 1. The class at the maximum contributes exactly 1; counting those ones
  // apart keeps the small terms from being cancelled. Exponentials in single precision are known
  // too little for that to matter.
  double tail[width];
  for (std::size_t i = 0; i < width; ++i) tail[i] = -1.0;
  Real shift[width] = {};
  if constexpr (std::is_same_v<Real, double>) {
    double ones[width] = {};
    double rest[width] = {};
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t i = 0; i < width; ++i) {
        const double at_maximum = static_cast<double>(shifted[k * width + i] == 0.0);
        ones[i] += at_maximum;
        rest[i] += scratch[k * width + i] - at_maximum;
        shift[i] += scratch[k * width + i] * shifted[k * width + i];
      }
    }
    for (std::size_t i = 0; i < width; ++i) tail[i] = (ones[i] - 1.0) + rest[i];
  } else {
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t i = 0; i < width; ++i) {
        tail[i] += static_cast<double>(scratch[k * width + i]);
        shift[i] += scratch[k * width + i] * shifted[k * width + i];
      }
    }
  }
  double inverse_sum[width];
  for (std::size_t i = 0; i < width; ++i) {
    tail_product[i] += tail[i] + tail_product[i] * tail[i];
    inverse_sum[i] = 1.0 / (1.0 + tail[i]);
    weighted_shift[i] += static_cast<double>(shift[i]) *
                         static_cast<double>(inverse_temperature[i]) * inverse_sum[i];
  }
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t i = 0; i < width; ++i) {
      probability_sums[k * width + i] +=
          static_cast<double>(scratch[k * width + i]) * inverse_sum[i];
    }
  }
}

}  // namespace

CUBCAL_VECTOR_CLONES
void accumulate_softmax_and_entropy(const double* shifted, const double* inverse_temperature,
                                    std::size_t classes, double* scratch, double* probability_sums,
                                    double* tail_product, double* weighted_shift) {
  accumulate_pass(shifted, inverse_temperature, classes, scratch, probability_sums, tail_product,
                  weighted_shift);
}

CUBCAL_VECTOR_CLONES
void accumulate_softmax_and_entropy(const float* shifted, const float* inverse_temperature,
                                    std::size_t classes, float* scratch, double* probability_sums,
                                    double* tail_product, double* weighted_shift) {
  accumulate_pass(shifted, inverse_temperature, classes, scratch, probability_sums, tail_product,
                  weighted_shift);
}

CUBCAL_VECTOR_CLONES
void exponentiate(const double* __restrict shifted, double scale, std::size_t count,
                  double* __restrict exponentials) {
  for (std::size_t i = 0; i < count; ++i) exponentials[i] = exp_nonpositive(shifted[i] * scale);
}

CUBCAL_VECTOR_CLONES
void accumulate_normalised(const double* exponentials, std::size_t passes, std::size_t classes,
                           double* probability_sums) {
  accumulate_passes(exponentials, passes, classes, exponentials, probability_sums);
}

CUBCAL_VECTOR_CLONES
void advance_and_accumulate(const double* ratios, std::size_t passes, std::size_t classes,
                            double* exponentials, double* probability_sums) {
  accumulate_passes(ratios, passes, classes, exponentials, probability_sums);
}

}  // namespace cubcal
