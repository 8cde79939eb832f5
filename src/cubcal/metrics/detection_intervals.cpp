#include "cubcal/metrics/detection_intervals.h"

#include <algorithm>

#include "cubcal/core/parallel.h"

namespace cubcal {

namespace {

/// Scores of both sides in falling order, and where the count of each is found.
struct SortedScores {
  std::vector<WeightedScore> falling;
  std::vector<std::size_t> sample;  ///< in its own side
};

SortedScores sorted(const ScoredSide& id, const ScoredSide& ood) {
  struct Entry {
    WeightedScore score;
    std::size_t sample;
  };
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < id.scores.size(); ++i) {
    entries.push_back({{id.scores[i], false, 1}, i});
  }
  for (std::size_t i = 0; i < ood.scores.size(); ++i) {
    entries.push_back({{ood.scores[i], true, 1}, i});
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.score.score > b.score.score; });
  SortedScores result;
  for (const Entry& entry : entries) {
    result.falling.push_back(entry.score);
    result.sample.push_back(entry.sample);
  }
  return result;
}

}  // namespace

std::optional<DetectionResult> detection_with_intervals(const ScoredSide& id, const ScoredSide& ood,
                                                        const BootstrapOptions& options) {
  check_bootstrap_options(options);
  const std::optional<DetectionMetrics> metrics = detection_metrics(id.scores, ood.scores);
  if (!metrics) return std::nullopt;
  const ResamplingUnits id_units = resampling_units(id.scores.size(), id.groups, "scores");
  const ResamplingUnits ood_units = resampling_units(ood.scores.size(), ood.groups, "scores");
  const SortedScores scores = sorted(id, ood);
  std::vector<double> auroc(options.replicates), aupr(options.replicates),
      fpr95(options.replicates);
  parallel_blocks(options.replicates, 8, [&](std::size_t first, std::size_t last) {
    std::vector<WeightedScore> falling = scores.falling;
    for (std::size_t r = first; r < last; ++r) {
      SeedStream stream(options.seed, r);
      const std::vector<std::uint32_t> id_counts = draw_counts(id_units, stream);
      const std::vector<std::uint32_t> ood_counts = draw_counts(ood_units, stream);
      for (std::size_t i = 0; i < falling.size(); ++i) {
        falling[i].weight = (falling[i].is_ood ? ood_counts : id_counts)[scores.sample[i]];
      }
      const DetectionMetrics drawn = weighted_detection_metrics(falling);
      auroc[r] = drawn.auroc;
      aupr[r] = drawn.aupr;
      fpr95[r] = drawn.fpr95;
    }
  });
  return DetectionResult{*metrics, percentile_interval(std::move(auroc), options.level),
                         percentile_interval(std::move(aupr), options.level),
                         percentile_interval(std::move(fpr95), options.level)};
}

}  // namespace cubcal
