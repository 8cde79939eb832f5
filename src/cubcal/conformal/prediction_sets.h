#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cubcal/conformal/conformal_score.h"
#include "cubcal/core/array_view.h"
#include "cubcal/uncertainty/predictive.h"

/// Conformal prediction sets: for each sample the classes that cannot be ruled out, so that the
/// true one is among them with a stated probability, whatever the model, as long as calibration and
/// new samples are exchangeable.
namespace cubcal {

struct ConformalOptions {
  ScoreOptions score;
  double alpha = 0.1;     ///< wanted probability that the true class is not in the set
  bool by_class = false;  ///< kept for each true class by itself (Mondrian)
};

/// 1 - level, without its rounding: 0.1 where the level is 0.9, and not 0.09999...
double alpha_of_level(double level);

/// The rank of the threshold among n calibration scores, ceil((n + 1) (1 - alpha)); n + 1 where n
/// is too small for any.
std::size_t conformal_rank(std::size_t samples, double alpha);

/// The score of that rank; infinite where there is none, so that every class stays in the set.
double conformal_quantile(std::vector<double> scores, double alpha);

/// The fewest calibration samples with a threshold of their own.
std::size_t fewest_samples(double alpha);

/// What the calibration samples of one kind give.
struct ConformalCell {
  std::size_t samples = 0;
  double threshold = 0;  ///< a class whose score is at most this is in the set
};

/// Thresholds fitted on calibration samples.
struct ConformalRule {
  ConformalOptions options;
  std::size_t classes = 0;
  /// By group (one of the name "" without groups), then by class (one without `by_class`).
  std::map<std::string, std::vector<ConformalCell>> cells;
};

/// `groups` has one entry per sample, or none: then all samples share thresholds. Throws
/// ArgumentError for options outside their domain.
ConformalRule fit_conformal(const Predictive& calibration, ArrayView<const std::int64_t> labels,
                            const std::vector<std::string>& groups,
                            const ConformalOptions& options);

/// The classes of one sample's set, rising, by a rule without groups that draws nothing.
std::vector<std::size_t> prediction_set(const ConformalRule& rule, const double* probabilities);

/// Which classes are in the set of each sample, [N, K]. A group that the rule has not seen keeps
/// every class. Throws DataError where the number of classes is another.
std::vector<std::uint8_t> prediction_sets(const ConformalRule& rule, const Predictive& predictive,
                                          const std::vector<std::string>& groups);

}  // namespace cubcal
