#pragma once

#include <cstddef>
#include <optional>

#include "cubcal/core/array_view.h"

/// Out-of-distribution detection: positive = OOD, a higher score = more OOD.
namespace cubcal {

struct DetectionMetrics {
  double auroc;  ///< probability that an OOD score exceeds an ID score, ties at one half
  double aupr;   ///< average precision, by blocks of tied scores
  double fpr95;  ///< share of ID above the highest threshold that catches at least 95% of OOD
};

/// A score that counts `weight` times.
struct WeightedScore {
  double score;
  bool is_ood;
  double weight;
};

/// Of scores in falling order, both sides with some weight.
DetectionMetrics weighted_detection_metrics(ArrayView<const WeightedScore> falling);

/// Undefined when either side is empty. Scores must not be NaN (DataError).
std::optional<DetectionMetrics> detection_metrics(ArrayView<const double> id_scores,
                                                  ArrayView<const double> ood_scores);

}  // namespace cubcal
