#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cubcal/counted_share.h"
#include "cubcal/error.h"
#include "cubcal/predictive.h"

/// Sets of classes that hold the true one as often as promised. docs/conformal.md has the formulas.
namespace cubcal {

struct ConformalRule;

struct SetOptions {
  std::string score = "lac";     ///< or "aps", "raps"
  double alpha = 0.1;            ///< share of samples whose set may lack the true class
  bool by_class = false;         ///< promised for each class by itself
  double penalty = 0.01;         ///< raps: for each class beyond the free ones
  std::size_t free_classes = 1;  ///< raps
};

/// The classes of a set, rising.
using ClassSet = std::vector<std::size_t>;

/// Thresholds fitted on samples with labels. Copies share them.
class SetPredictor {
 public:
  explicit SetPredictor(const ConformalRule& rule);

  /// Of each sample. `groups` where the thresholds were fitted with groups: a group they have not
  /// seen keeps every class. Throws DataError for another number of classes, ArgumentError
  /// where groups do not fit.
  std::vector<ClassSet> sets(const Predictive& predictive,
                             const std::vector<std::string>& groups = {}) const;

 private:
  std::shared_ptr<const ConformalRule> rule_;
};

/// Of samples that the model was not trained on. With `groups`, one for each sample (a site, not a
/// patient), the promise is kept for each of them by itself. Throws DataError for labels that
/// do not fit, ArgumentError for groups that do not and for options outside their domain.
SetPredictor fit_sets(const Predictive& calibration, const std::vector<std::int64_t>& labels,
                      const SetOptions& options = {}, const std::vector<std::string>& groups = {});

struct SetCoverage {
  CountedShare covered;       ///< sets that hold the label
  CountedShare single;        ///< sets of one class
  CountedShare single_right;  ///< of these those of the label
  CountedShare empty;         ///< sets of none
  double mean_size = 0;
};

/// What sets do on samples with labels; `level` is that of the intervals. Throws DataError where
/// the labels do not fit, ArgumentError for a level outside (0, 1).
SetCoverage set_coverage(const std::vector<ClassSet>& sets, const std::vector<std::int64_t>& labels,
                         double level = 0.95);

}  // namespace cubcal
