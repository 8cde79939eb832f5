#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cubcal/core/array_view.h"
#include "cubcal/predictive.h"
#include "cubcal/uncertainty/mc_logits.h"

namespace cubcal {

/// Mean softmax, confidence and entropies in one pass over the logits, on several threads. Sums are
/// double throughout; the exponentials of float64 logits are double too (results good to about
/// 1e-15), those of float16 and float32 logits single (about 1e-8). Each pass's logits are divided
/// by the sample's temperature before the softmax; `temperatures` holds N values, one value for
/// all, or none for T = 1. Extra memory is O(N K).
///
/// Throws DataError naming the first NaN or infinite logit, ArgumentError for a temperature that is
/// not positive. The result does not depend on the number of threads, bit for bit.
Predictive predict(const McLogits& logits, ArrayView<const double> temperatures = {});

/// 1 - c of each sample.
std::vector<double> doubts(const std::vector<double>& confidence);
/// Predictive::epistemic of each sample.
std::vector<double> epistemic_parts(const Predictive& predictive);

/// Confidence, entropy and predicted class of one probability vector of K entries.
struct Summary {
  double confidence;
  double entropy;
  std::int32_t predicted;
};

/// `stride` is the distance between the probabilities of neighbouring classes.
Summary summarise(const double* probabilities, std::size_t classes, std::size_t stride = 1);

}  // namespace cubcal
