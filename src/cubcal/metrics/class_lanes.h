#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cubcal/metrics/class_calibration.h"
#include "cubcal/metrics/lanes.h"
#include "cubcal/metrics/ranked_scores.h"

namespace cubcal {

/// What the ranking of one class by p_k gives.
struct ClassNumbers {
  std::optional<double> auroc;
  std::optional<double> aupr;
  ClassCalibration calibration;
};

/// Of one resample, by discrimination() and class_calibration().
ClassNumbers class_numbers(const RankedScores& ranked, const RankedCounts& counts,
                           const std::vector<std::uint32_t>& bin_ends);

/// The same of several in one walk. `counts` has an entry for each sample, in their own order;
/// each lane counts at least one.
std::array<ClassNumbers, kLanes> class_numbers(const RankedScores& ranked,
                                               const std::vector<LaneCounts>& counts,
                                               const std::vector<std::uint32_t>& bin_ends);

}  // namespace cubcal
