#include "cubcal/metrics/class_lanes.h"

#include <algorithm>
#include <cmath>

#include "cubcal/uncertainty/vector_clones.h"

namespace cubcal {

namespace {

/// Sums up to the end of a bin, for each lane.
struct LaneSums {
  double predicted[kLanes] = {};     ///< of p_k
  double caught[kLanes] = {};        ///< samples of the class
  double false_alarms[kLanes] = {};  ///< other samples
};

/// `pairs` becomes twice the number of pairs in order, ties counting one half, and `precision` the
/// sum of the precision at each sample of the class.
CUBCAL_VECTOR_CLONES void walk_lanes(const RankedScores& ranked, const LaneCounts* counts,
                                     const std::vector<std::uint32_t>& bin_ends, LaneSums* ends,
                                     double* pairs, double* precision) {
  LaneSums sums;
  double equal_positives[kLanes] = {};
  double equal_negatives[kLanes] = {};
  double ordered[kLanes] = {};
  double precisions[kLanes] = {};
  bool has_positive = false;
  std::size_t r = 0;
  for (std::size_t bin = 0; bin < bin_ends.size(); ++bin) {
    for (; r < bin_ends[bin]; ++r) {
      const std::int32_t* own = counts[ranked.samples[r]].of;
      const double score = ranked.scores[r];
      for (std::size_t l = 0; l < kLanes; ++l) sums.predicted[l] += score * own[l];
      if (ranked.positive[r] != 0) {
        has_positive = true;
        for (std::size_t l = 0; l < kLanes; ++l) equal_positives[l] += own[l];
      } else {
        for (std::size_t l = 0; l < kLanes; ++l) equal_negatives[l] += own[l];
      }
      if (ranked.last[r] == 0) continue;
      for (std::size_t l = 0; l < kLanes; ++l) {
        ordered[l] += equal_negatives[l] * (2 * sums.caught[l] + equal_positives[l]);
        sums.false_alarms[l] += equal_negatives[l];
        equal_negatives[l] = 0;
      }
      if (!has_positive) continue;
      has_positive = false;
      for (std::size_t l = 0; l < kLanes; ++l) {
        sums.caught[l] += equal_positives[l];
        const double called = sums.caught[l] + sums.false_alarms[l];
        precisions[l] += equal_positives[l] * sums.caught[l] / (called > 1 ? called : 1);
        equal_positives[l] = 0;
      }
    }
    ends[bin] = sums;
  }
  std::copy_n(ordered, kLanes, pairs);
  std::copy_n(precisions, kLanes, precision);
}

ClassCalibration lane_calibration(const std::vector<LaneSums>& ends, std::size_t lane) {
  const double positives = ends.back().caught[lane];
  const double total = positives + ends.back().false_alarms[lane];
  const double share = positives / total;
  ClassCalibration result;
  result.uncertainty = share * (1 - share);
  LaneSums before;
  for (const LaneSums& end : ends) {
    const double inside = end.caught[lane] - before.caught[lane];
    const double count = inside + end.false_alarms[lane] - before.false_alarms[lane];
    const double predicted = end.predicted[lane] - before.predicted[lane];
    before = end;
    if (count > 0) add_bin(result, count / total, predicted / count, inside / count, share);
  }
  return result;
}

}  // namespace

ClassNumbers class_numbers(const RankedScores& ranked, const RankedCounts& counts,
                           const std::vector<std::uint32_t>& bin_ends) {
  ClassNumbers numbers;
  if (const std::optional<DetectionMetrics> found = discrimination(ranked, counts)) {
    numbers.auroc = found->auroc;
    numbers.aupr = found->aupr;
  }
  numbers.calibration = class_calibration(ranked, counts, bin_ends);
  return numbers;
}

std::array<ClassNumbers, kLanes> class_numbers(const RankedScores& ranked,
                                               const std::vector<LaneCounts>& counts,
                                               const std::vector<std::uint32_t>& bin_ends) {
  std::vector<LaneSums> ends(bin_ends.size());
  double pairs[kLanes];
  double precision[kLanes];
  walk_lanes(ranked, counts.data(), bin_ends, ends.data(), pairs, precision);
  std::array<ClassNumbers, kLanes> numbers;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const double positives = ends.back().caught[l];
    const double negatives = ends.back().false_alarms[l];
    if (positives > 0 && negatives > 0) {
      numbers[l].auroc = 0.5 * pairs[l] / (positives * negatives);
      numbers[l].aupr = precision[l] / positives;
    }
    numbers[l].calibration = lane_calibration(ends, l);
  }
  return numbers;
}

}  // namespace cubcal
