#include "cubcal/metrics/detection.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

struct Scored {
  double score;
  bool positive;
};

}  // namespace

std::optional<DetectionMetrics> detection_metrics(ArrayView<const double> id_scores,
                                                  ArrayView<const double> ood_scores) {
  if (id_scores.empty() || ood_scores.empty()) return std::nullopt;
  std::vector<Scored> all;
  all.reserve(id_scores.size() + ood_scores.size());
  for (const double score : id_scores) all.push_back({score, false});
  for (const double score : ood_scores) all.push_back({score, true});
  for (const Scored& item : all) {
    if (std::isnan(item.score)) throw DataError("detection scores must not be NaN");
  }
  std::sort(all.begin(), all.end(),
            [](const Scored& a, const Scored& b) { return a.score > b.score; });

  const double negatives = static_cast<double>(id_scores.size());
  const double positives = static_cast<double>(ood_scores.size());
  DetectionMetrics metrics{0, 0, 1};
  double caught = 0.0;
  double false_alarms = 0.0;
  bool fpr_found = false;
  for (std::size_t first = 0; first < all.size();) {
    double block_positives = 0.0;
    double block_negatives = 0.0;
    std::size_t last = first;
    for (; last < all.size() && all[last].score == all[first].score; ++last) {
      (all[last].positive ? block_positives : block_negatives) += 1.0;
    }
    metrics.auroc += block_negatives * (caught + 0.5 * block_positives);
    caught += block_positives;
    false_alarms += block_negatives;
    metrics.aupr += block_positives * caught / (caught + false_alarms);
    if (!fpr_found && caught >= 0.95 * positives) {
      metrics.fpr95 = false_alarms / negatives;
      fpr_found = true;
    }
    first = last;
  }
  metrics.auroc /= negatives * positives;
  metrics.aupr /= positives;
  return metrics;
}

}  // namespace cubcal
