#include "cubcal/metrics/detection.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cubcal/core/error.h"

namespace cubcal {

DetectionMetrics weighted_detection_metrics(ArrayView<const WeightedScore> falling) {
  double positives = 0.0;
  double negatives = 0.0;
  for (const WeightedScore& each : falling) (each.is_ood ? positives : negatives) += each.weight;
  DetectionMetrics metrics{0, 0, 1};
  double caught = 0.0;
  double false_alarms = 0.0;
  bool fpr_found = false;
  for (std::size_t first = 0; first < falling.size();) {
    double block_positives = 0.0;
    double block_negatives = 0.0;
    std::size_t last = first;
    for (; last < falling.size() && falling[last].score == falling[first].score; ++last) {
      (falling[last].is_ood ? block_positives : block_negatives) += falling[last].weight;
    }
    first = last;
    if (block_positives + block_negatives == 0) continue;
    metrics.auroc += block_negatives * (caught + 0.5 * block_positives);
    caught += block_positives;
    false_alarms += block_negatives;
    metrics.aupr += block_positives * caught / (caught + false_alarms);
    if (!fpr_found && caught >= 0.95 * positives) {
      metrics.fpr95 = false_alarms / negatives;
      fpr_found = true;
    }
  }
  metrics.auroc /= negatives * positives;
  metrics.aupr /= positives;
  return metrics;
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
