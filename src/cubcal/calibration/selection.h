#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/calibration/fit.h"
#include "cubcal/metrics/bootstrap.h"

namespace cubcal {

/// What a calibration is judged by. Not by UCE, which a classifier whose probabilities are true
/// does not have at 0 (U / ln K exceeds its error rate); not by AvU and the means of U, which hang
/// on a fixed threshold in nats that any temperature moves; not by BCCE, which most of the methods
/// minimise at any price.
inline constexpr std::array<Metric, 6> kJudgedMetrics = {
    Metric::kAccuracy, Metric::kBalancedAccuracy, Metric::kNll, Metric::kBrier, Metric::kEce,
    Metric::kAurc};

/// An error that rises by no more than this share of itself is not held against a calibration.
inline constexpr double kNegligibleRise = 0.05;

/// Metrics with and without a calibration on the same samples.
struct CalibrationEffect {
  MetricValues before;
  MetricValues after;
  MetricIntervals difference;  ///< paired bootstrap of after - before

  /// +1: significantly better, -1: significantly worse, 0: neither (the interval holds 0).
  int change(Metric metric) const;
  /// Judged metrics that are significantly better.
  std::vector<Metric> better() const;
  /// Judged metrics that are significantly worse, errors by more than kNegligibleRise.
  std::vector<Metric> worse() const;
};

CalibrationEffect calibration_effect(const SampleFacts& before, const SampleFacts& after,
                                     const std::vector<std::string>& groups,
                                     const BootstrapOptions& bootstrap);

/// A method fitted on the whole set, and what it does to samples it was not fitted on (AURC: to the
/// ranking of those it was fitted on, since held-out folds have temperatures of their own and a
/// ranking compares samples).
struct CalibrationCandidate {
  FitResult fit;
  CalibrationEffect held_out;
  /// Folds in which the fit on the others gave T = 1, so that their samples were left as they are.
  std::size_t unscaled_folds = 0;
};

struct SelectionOptions {
  FitOptions fit;  ///< `method` is not looked at
  MetricOptions metrics;
  BootstrapOptions bootstrap = {500, 0.95, 0};
  std::size_t folds = 5;
  std::uint64_t seed = 0;  ///< of the folds
};

struct CalibrationSelection {
  std::vector<CalibrationCandidate> candidates;  ///< one for each of kCalibrationMethods
  std::optional<std::size_t> best;               ///< of the candidates
  std::size_t folds = 0;
  std::size_t samples = 0;  ///< that were held out in turn: all, or a part of a large set
};

/// Fits every method and holds out each fold of whole groups in turn. The best has the lowest
/// held-out NLL among those that make no judged metric significantly worse and one significantly
/// better, and are not T = 1; there may be none. Large sets are held out in part (kHeldOutLogits).
/// Throws DataError where there are fewer than two groups.
CalibrationSelection select_calibration(const McLogits& logits,
                                        ArrayView<const std::int64_t> labels,
                                        const std::vector<std::string>& groups,
                                        const SelectionOptions& options);

inline constexpr std::size_t kHeldOutLogits = 4'000'000;

}  // namespace cubcal
