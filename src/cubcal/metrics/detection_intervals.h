#pragma once

#include <cstdint>
#include <optional>

#include "cubcal/core/array_view.h"
#include "cubcal/metrics/detection.h"
#include "cubcal/metrics/resampling.h"

namespace cubcal {

struct DetectionResult {
  DetectionMetrics metrics;
  Interval auroc;
  Interval aupr;
  Interval fpr95;
};

/// Scores of one side and, where images belong together (to a patient), a group for each.
struct ScoredSide {
  ArrayView<const double> scores;
  ArrayView<const std::int64_t> groups = {};  ///< one per score, or none
};

/// Detection metrics with percentile bootstrap intervals. Both sides are resampled, each on its own
/// and by whole groups where it has them, so that the share of OOD stays about what it is. The
/// result depends on the seed, not on the threads. Undefined where either side is empty; throws
/// DataError for NaN scores.
std::optional<DetectionResult> detection_with_intervals(const ScoredSide& id, const ScoredSide& ood,
                                                        const BootstrapOptions& options);

}  // namespace cubcal
