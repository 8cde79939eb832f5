#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/conformal/prediction_sets.h"
#include "cubcal/core/array_view.h"
#include "cubcal/metrics/counted_share.h"

namespace cubcal {

/// What sets do to samples. Without labels nothing is known of `covered` and `single_right`.
struct SetSummary {
  std::string name;
  std::size_t samples = 0;
  CountedShare covered;              ///< sets that hold the label
  std::vector<std::size_t> by_size;  ///< how many sets have 0, 1, ... K classes
  CountedShare single_right;         ///< of the sets of one class those of the label

  /// Undefined of no samples.
  std::optional<double> mean_size() const;
};

/// Of the samples `members`; `labels` may be empty. `level` is that of the intervals.
SetSummary summarise_sets(const std::string& name, ArrayView<const std::uint8_t> sets,
                          std::size_t classes, ArrayView<const std::int64_t> labels,
                          const std::vector<std::size_t>& members, double level);

/// How many of `samples` new samples sets of one cell cover, where they are exchangeable with its
/// calibration samples: given those, coverage is Beta(r, n + 1 - r) with r the rank of the
/// threshold (more where scores are tied), so that the number is beta-binomial.
class CoverageForecast {
 public:
  CoverageForecast(std::size_t calibration_samples, double alpha, std::size_t samples);

  /// P(at most `covered`); 1 without a threshold, where all are covered.
  double at_most(std::size_t covered) const;
  /// The smallest range of counts that leaves out at most (1 - level) / 2 on either side.
  std::size_t low(double level) const;
  std::size_t high(double level) const;

 private:
  std::size_t first_above(double probability) const;

  std::size_t rank_;
  std::size_t calibration_samples_;
  std::size_t samples_;
};

}  // namespace cubcal
