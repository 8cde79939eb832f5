#pragma once

#include <cstddef>

#include "cubcal/uncertainty/logit_tile.h"

/// The arithmetic of one tile of samples, laid out [K][kTileWidth] so that every inner loop runs
/// over samples and vectorises. Unused lanes hold zeros.
namespace cubcal {

/// Adds one pass, p = softmax(x) with x = shifted * inverse_temperature, where `shifted` are logits
/// minus their maximum:
///   probability_sums [K][kTileWidth] += p_k
///   tail_product [kTileWidth]: q with 1 + q = prod_s sum_k exp(x_sk), exact for tiny q
///   weighted_shift [kTileWidth] += sum_k p_k x_k
/// From the last two follows the mean entropy of the single passes, as
/// H(p_s) = ln(sum_k exp(x_sk)) - sum_k p_sk x_sk. `scratch` has the size of `shifted`. No two of
/// the arrays may overlap.
void accumulate_softmax_and_entropy(const double* shifted, const double* inverse_temperature,
                                    std::size_t classes, double* scratch, double* probability_sums,
                                    double* tail_product, double* weighted_shift);
/// With the exponentials in single precision; sums and quotients stay double, so that probabilities
/// still add up to 1.
void accumulate_softmax_and_entropy(const float* shifted, const float* inverse_temperature,
                                    std::size_t classes, float* scratch, double* probability_sums,
                                    double* tail_product, double* weighted_shift);

/// exponentials[j] = exp(shifted[j] * scale) for `count` values.
void exponentiate(const double* shifted, double scale, std::size_t count, double* exponentials);

/// For every pass, probability_sums[k][i] += e[k][i] / sum_k e[k][i], where `exponentials` holds e
/// as [S][K][kTileWidth].
void accumulate_normalised(const double* exponentials, std::size_t passes, std::size_t classes,
                           double* probability_sums);

/// The same after exponentials[j] *= ratios[j]: exp at the next of equally spaced scales.
void advance_and_accumulate(const double* ratios, std::size_t passes, std::size_t classes,
                            double* exponentials, double* probability_sums);

}  // namespace cubcal
