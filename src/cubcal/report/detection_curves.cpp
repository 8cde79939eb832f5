#include "cubcal/report/detection_curves.h"

#include <algorithm>
#include <utility>

namespace cubcal::report {

DetectionCurves detection_curves(ArrayView<const double> id_scores,
                                 ArrayView<const double> ood_scores) {
  std::vector<std::pair<double, bool>> scores;
  for (const double score : id_scores) scores.emplace_back(score, false);
  for (const double score : ood_scores) scores.emplace_back(score, true);
  std::sort(scores.begin(), scores.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  DetectionCurves curves{{0}, {0}, {}, {}};
  double outliers = 0;
  double others = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    (scores[i].second ? outliers : others) += 1;
    if (i + 1 < scores.size() && scores[i + 1].first == scores[i].first) continue;
    curves.false_alarms.push_back(others / static_cast<double>(id_scores.size()));
    curves.caught.push_back(outliers / static_cast<double>(ood_scores.size()));
    curves.recall.push_back(curves.caught.back());
    curves.precision.push_back(outliers / (outliers + others));
  }
  return curves;
}

}  // namespace cubcal::report
