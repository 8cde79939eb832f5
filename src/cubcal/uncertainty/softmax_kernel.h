#pragma once

#include <cstddef>

/// The arithmetic of one tile of samples, laid out [K][width] so that every inner loop runs over
/// samples and vectorises. `width` is a multiple of 8; unused lanes hold zeros.
namespace cubcal {

/// What a tile gathers over the passes, beside the probability sums. Lanes of `width` samples.
struct EntropySums {
  double* tail_product;    ///< q with 1 + q = prod_s sum_k exp(x_sk), exact for tiny q
  double* weighted_shift;  ///< sum_s sum_k p_sk x_sk
};

/// probability_sums[k][i] += softmax_k(x[.][i]) with x = shifted * inverse_temperature[i], where
/// `shifted` are logits minus their maximum, and the two sums from which the mean entropy of the
/// single passes follows: H(p_s) = ln(sum_k exp(x_sk)) - sum_k p_sk x_sk.
/// `scratch` has the size of `shifted`; `lane` has 2 * width entries.
void accumulate_softmax_and_entropy(const double* shifted, const double* inverse_temperature,
                                    std::size_t classes, std::size_t width, double* scratch,
                                    double* lane, double* probability_sums,
                                    const EntropySums& entropy_sums);

/// exponentials[j] = exp(shifted[j] * scale) for `count` values.
void exponentiate(const double* shifted, double scale, std::size_t count, double* exponentials);

/// exponentials[j] *= ratios[j] for `count` values: exp at the next of equally spaced scales.
void advance(const double* ratios, std::size_t count, double* exponentials);

/// probability_sums[k][i] += exponentials[k][i] / sum_k exponentials[k][i]; `lane` has `width`
/// entries.
void accumulate_normalised(const double* exponentials, std::size_t classes, std::size_t width,
                           double* lane, double* probability_sums);

}  // namespace cubcal
