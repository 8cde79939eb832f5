#include "cubcal/metrics/ranked_scores.h"

#include "cubcal/core/check.h"
#include "cubcal/metrics/ranked_detection.h"
#include "cubcal/metrics/value_order.h"

namespace cubcal {

RankedScores rank_scores(const std::vector<double>& scores,
                         const std::vector<std::uint8_t>& positive) {
  check_same_size("positive", positive.size(), "scores", scores.size());
  std::vector<double> falling(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) falling[i] = -scores[i];
  RankedScores ranked;
  ranked.samples = ascending_order(falling);
  for (const std::uint32_t i : ranked.samples) {
    ranked.scores.push_back(scores[i]);
    ranked.positive.push_back(positive[i]);
  }
  ranked.last.assign(scores.size(), 1);
  for (std::size_t r = 0; r + 1 < scores.size(); ++r) {
    ranked.last[r] = ranked.scores[r + 1] < ranked.scores[r] ? 1 : 0;
  }
  return ranked;
}

RankedScores rank_class(const SampleFacts& facts, const Predictive& predictive, std::size_t k) {
  std::vector<double> scores(facts.samples);
  std::vector<std::uint8_t> positive(facts.samples);
  for (std::size_t i = 0; i < facts.samples; ++i) {
    scores[i] = predictive.probabilities[i * facts.classes + k];
    positive[i] = facts.labels[i] == static_cast<std::int64_t>(k) ? 1 : 0;
  }
  return rank_scores(scores, positive);
}

void take_counts(const RankedScores& ranked, SampleCounts counts, RankedCounts& ranked_counts) {
  ranked_counts.resize(ranked.size());
  for (std::size_t r = 0; r < ranked.size(); ++r) ranked_counts[r] = counts[ranked.samples[r]];
}

std::optional<DetectionMetrics> discrimination(const RankedScores& ranked,
                                               const RankedCounts& counts) {
  bool found[2] = {false, false};
  for (std::size_t r = 0; r < ranked.size() && !(found[0] && found[1]); ++r) {
    if (counts[r] > 0) found[ranked.positive[r]] = true;
  }
  if (!found[0] || !found[1]) return std::nullopt;
  return ranked_detection(
      ranked.size(), [&](std::size_t r) { return std::uint64_t{counts[r]}; },
      [&](std::size_t r) { return ranked.positive[r] != 0; },
      [&](std::size_t r) { return ranked.last[r] != 0; });
}

}  // namespace cubcal
