#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/conformal/prediction_sets.h"
#include "cubcal/core/array_view.h"
#include "cubcal/decision.h"

/// What to do with the answer for one image, at rates that are stated beforehand. No OOD data is
/// needed: an image is out of scope where held-out ID images hardly ever score as high.
namespace cubcal {

/// p = (1 + #{ID scores >= score}) / (n + 1), with n held-out ID scores in rising order. For an
/// image drawn as those were, P(p <= alpha) <= alpha whatever the scores' distribution, and p is
/// uniform on {1, ..., n + 1} / (n + 1) where no two scores are equal.
double ood_p_value(ArrayView<const double> rising_id_scores, double score);

/// Of the images of a class, at most this share may be accepted with a wrong answer.
struct MissTarget {
  std::size_t label = 0;
  double share = 0;  ///< in [0, 1)
};

/// Of the accepted images of a class, at least this share must be answered right.
struct SensitivityFloor {
  std::size_t label = 0;
  double share = 0;  ///< in (0, 1]
};

/// What decisions cost, in any unit. An image called out of scope costs what a referred one does:
/// a person looks at both.
struct VerdictCosts {
  double referral = 1;        ///< of one image, at least 0
  std::vector<double> wrong;  ///< of accepting a wrong answer to an image of each class, at least 0
};

struct VerdictOptions {
  double alpha = 0.05;  ///< share of ID images that may be refused as out of scope, in (0, 1)
  /// Refer so much that the error rate among accepted images is at most this, in (0, 1). Unset:
  /// refer where U exceeds eta.
  std::optional<double> risk_target = {};
  /// Ask for it not of the error rate on validation itself but of its upper bound at this
  /// confidence, in (0, 1).
  std::optional<double> risk_confidence = {};
  /// Refer more where that is needed to keep these on validation.
  std::vector<MissTarget> miss_targets = {};
  std::vector<SensitivityFloor> sensitivity_floors = {};
  /// Take the threshold of the lowest cost on validation, instead of eta; not with a risk target.
  std::optional<VerdictCosts> costs = {};
  /// Accept where the prediction set holds the answer alone, instead of by U; such a rule has no
  /// targets, and its sets draw nothing.
  std::optional<ConformalOptions> sets = {};
};

/// Throws ArgumentError naming the first field outside its domain.
void check_verdict_options(const VerdictOptions& options);

/// Shares of images by decision, and the error rate among the accepted ones.
struct VerdictRates {
  std::size_t samples = 0;
  std::size_t accepted = 0;
  std::size_t referred = 0;
  std::size_t out_of_scope = 0;
  std::size_t errors = 0;  ///< among the accepted

  double share(std::size_t count) const {
    return static_cast<double>(count) / static_cast<double>(samples);
  }
  /// Undefined where nothing is accepted.
  std::optional<double> risk() const;
};

/// Thresholds fitted on held-out images, and what they decide by.
struct VerdictRule {
  VerdictOptions options;  ///< what was asked for
  /// U above it is referred, nats; of the calibrated prediction. Infinite where sets decide.
  double uncertainty = 0;
  std::optional<ConformalRule> sets = {};  ///< where sets decide
  VerdictRates validation;  ///< what it promises: its rates on the set it was fitted on
  std::vector<VerdictRates> validation_by_class;  ///< the same by label; empty without labels
  std::vector<double> id_scores;                  ///< of held-out ID images, rising
};

struct Verdict {
  double p_value;
  Decision decision;
  std::vector<std::size_t> set = {};  ///< classes of the prediction set, where sets decide
};

/// Out of scope where p <= alpha, else refer where U exceeds the threshold, else accept; where sets
/// decide, accept what has a set of one class that is the most probable one (with thresholds by
/// class it may be another). These need the K probabilities. Throws DataError for a score that is
/// not finite.
Verdict judge(const VerdictRule& rule, double score, double uncertainty,
              const double* probabilities = nullptr);

/// Of ID images held out from the detector's fit and the network's training.
struct HeldOutImages {
  ArrayView<const double> scores;             ///< of the detector
  ArrayView<const double> uncertainty;        ///< U of the calibrated prediction
  ArrayView<const std::uint8_t> correct;      ///< whether the predicted class is the label
  ArrayView<const std::int64_t> labels = {};  ///< only needed by sets and single classes
  const Predictive* predictive = nullptr;     ///< only needed by sets
};

/// Throws ArgumentError where so many images are too few for alpha (n + 1 < 1 / alpha).
void check_held_out_count(std::size_t images, double alpha);

/// So many held-out images that the share of ID images refused, which with k = floor(alpha (n + 1))
/// is Beta(k, n + 1 - k) over fits, is at most 2 alpha in 97.5% of them.
std::size_t held_out_for_steady_share(double alpha);

/// Fits threshold and ECDF. With a risk target the threshold is the largest U up to which
/// validation images have an error rate at or below it, counting those the p-value leaves in scope
/// (each against all others). With a confidence too, the candidates are the thresholds that cover
/// 5%, 10%, ..., 100% of the images, and it is the Clopper-Pearson bound of the error rate, at a
/// level corrected for twenty looks, that must not exceed the target.
///
/// Miss targets and sensitivity floors must hold on validation too, together with the risk target:
/// of the thresholds at which all of them do, it is the largest. Floors are met by a lower
/// Clopper-Pearson bound where there is a confidence, at a level corrected for all that it bounds.
/// With costs it is the threshold of the lowest mean cost among those; that carries no guarantee.
///
/// Sets are fitted on all of the images, in scope or not.
///
/// Throws ArgumentError where the images are too few for alpha (n + 1 < 1 / alpha) or for any set
/// to leave a class out, and DataError where no threshold meets what is asked for, there is no
/// image of a class that something is asked of, or referring every image costs least.
VerdictRule fit_verdict(const HeldOutImages& images, double eta, const VerdictOptions& options);

/// Mean cost of an image with such decisions, by label.
double mean_cost(const VerdictCosts& costs, const std::vector<VerdictRates>& by_class);

/// What a rule does on other images.
VerdictRates verdict_rates(const VerdictRule& rule, const HeldOutImages& images);
/// The same of the images of each class, by label.
std::vector<VerdictRates> verdict_rates_by_class(const VerdictRule& rule,
                                                 const HeldOutImages& images, std::size_t classes);

}  // namespace cubcal
