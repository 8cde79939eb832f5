#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cubcal/metrics/detection.h"
#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

/// Samples by falling score, with what the metrics of a ranking ask of each.
struct RankedScores {
  std::vector<double> scores;          ///< from the highest to the lowest
  std::vector<std::uint32_t> samples;  ///< whose score it is; equals in file order
  std::vector<std::uint8_t> positive;  ///< 1 where that sample is what one looks for
  std::vector<std::uint8_t> last;      ///< 1 where the next score is a lower one

  std::size_t size() const { return samples.size(); }
};

/// `positive` has one entry for each score. Scores must not be NaN.
RankedScores rank_scores(const std::vector<double>& scores,
                         const std::vector<std::uint8_t>& positive);

/// Of p_k, with the samples of class k as positive.
RankedScores rank_class(const SampleFacts& facts, const Predictive& predictive, std::size_t k);

/// How often each sample counts, in the order of the ranking.
using RankedCounts = std::vector<std::uint32_t>;
/// Into a place that is used again and again.
void take_counts(const RankedScores& ranked, SampleCounts counts, RankedCounts& ranked_counts);

/// AUROC (ties at one half) and average precision; undefined without a counted sample on both
/// sides.
std::optional<DetectionMetrics> discrimination(const RankedScores& ranked,
                                               const RankedCounts& counts);

}  // namespace cubcal
