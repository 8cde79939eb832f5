#include "cubcal/metrics/detection.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/metrics/ranked_detection.h"

namespace cubcal {

DetectionMetrics weighted_detection_metrics(ArrayView<const WeightedScore> falling) {
  return ranked_detection(
      falling.size(), [&](std::size_t i) { return falling[i].weight; },
      [&](std::size_t i) { return falling[i].is_ood; },
      [&](std::size_t i) {
        return i + 1 == falling.size() || falling[i + 1].score != falling[i].score;
      });
}

std::optional<DetectionMetrics> detection_metrics(ArrayView<const double> id_scores,
                                                  ArrayView<const double> ood_scores) {
  if (id_scores.empty() || ood_scores.empty()) return std::nullopt;
  std::vector<WeightedScore> all;
  all.reserve(id_scores.size() + ood_scores.size());
  for (const double score : id_scores) all.push_back({score, false, 1});
  for (const double score : ood_scores) all.push_back({score, true, 1});
  for (const WeightedScore& each : all) {
    if (std::isnan(each.score)) throw DataError("detection scores must not be NaN");
  }
  std::sort(all.begin(), all.end(),
            [](const WeightedScore& a, const WeightedScore& b) { return a.score > b.score; });
  return weighted_detection_metrics(all);
}

}  // namespace cubcal
