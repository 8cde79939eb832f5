#include "cubcal/uncertainty/softmax_kernel.h"

#include "cubcal/uncertainty/vector_exp.h"

// On x86-64 the baseline has neither AVX2 nor FMA: let the loader pick the best version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CUBCAL_VECTOR_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CUBCAL_VECTOR_CLONES
#endif

namespace cubcal {

namespace {

inline void divide_and_add(const double* __restrict scratch, const double* __restrict inverse_sum,
                           std::size_t classes, std::size_t width,
                           double* __restrict probability_sums) {
  for (std::size_t k = 0; k < classes; ++k) {
    const double* __restrict e = scratch + k * width;
    double* __restrict sums = probability_sums + k * width;
    for (std::size_t i = 0; i < width; ++i) sums[i] += e[i] * inverse_sum[i];
  }
}

}  // namespace

CUBCAL_VECTOR_CLONES
void accumulate_softmax_and_entropy(const double* shifted, const double* inverse_temperature,
                                    std::size_t classes, std::size_t width, double* scratch,
                                    double* lane, double* probability_sums,
                                    const EntropySums& entropy_sums) {
  double* __restrict tail = lane;           // sum_k exp(x_k) - 1, without cancellation
  double* __restrict shift = lane + width;  // sum_k exp(x_k) x_k
  const double* __restrict scale = inverse_temperature;
  for (std::size_t i = 0; i < width; ++i) {
    tail[i] = -1.0;
    shift[i] = 0.0;
  }
  // The class at the maximum contributes exactly 1. Adding those ones first leaves only the small
  // terms for the second loop.
  for (std::size_t k = 0; k < classes; ++k) {
    const double* __restrict d = shifted + k * width;
    for (std::size_t i = 0; i < width; ++i) tail[i] += d[i] == 0.0 ? 1.0 : 0.0;
  }
  for (std::size_t k = 0; k < classes; ++k) {
    const double* __restrict d = shifted + k * width;
    double* __restrict e = scratch + k * width;
    for (std::size_t i = 0; i < width; ++i) {
      const double x = d[i] * scale[i];
      e[i] = exp_nonpositive(x);
      tail[i] += d[i] == 0.0 ? 0.0 : e[i];
      shift[i] += e[i] * x;
    }
  }
  double* __restrict product = entropy_sums.tail_product;
  double* __restrict weighted = entropy_sums.weighted_shift;
  for (std::size_t i = 0; i < width; ++i) {
    product[i] += tail[i] + product[i] * tail[i];
    tail[i] = 1.0 / (1.0 + tail[i]);
    weighted[i] += shift[i] * tail[i];
  }
  divide_and_add(scratch, tail, classes, width, probability_sums);
}

CUBCAL_VECTOR_CLONES
void exponentiate(const double* shifted, double scale, std::size_t count, double* exponentials) {
  const double* __restrict d = shifted;
  double* __restrict e = exponentials;
  for (std::size_t i = 0; i < count; ++i) e[i] = exp_nonpositive(d[i] * scale);
}

CUBCAL_VECTOR_CLONES
void advance(const double* ratios, std::size_t count, double* exponentials) {
  const double* __restrict r = ratios;
  double* __restrict e = exponentials;
  for (std::size_t i = 0; i < count; ++i) e[i] *= r[i];
}

CUBCAL_VECTOR_CLONES
void accumulate_normalised(const double* exponentials, std::size_t classes, std::size_t width,
                           double* lane, double* probability_sums) {
  double* __restrict sum = lane;
  for (std::size_t i = 0; i < width; ++i) sum[i] = 0.0;
  for (std::size_t k = 0; k < classes; ++k) {
    const double* __restrict e = exponentials + k * width;
    for (std::size_t i = 0; i < width; ++i) sum[i] += e[i];
  }
  for (std::size_t i = 0; i < width; ++i) sum[i] = 1.0 / sum[i];
  divide_and_add(exponentials, sum, classes, width, probability_sums);
}

}  // namespace cubcal
