#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cubcal/metrics/bootstrap.h"
#include "cubcal/prevalence/accepted.h"
#include "cubcal/prevalence/black_box.h"
#include "cubcal/prevalence/expectation.h"

/// What becomes of a model where classes are more or less frequent than among its labelled samples.
/// All of it takes label shift for granted: a class looks the same at either place.
namespace cubcal {

struct PrevalenceOptions {
  std::optional<ClassShares> to;  ///< stated; else that of the new samples by EM
  /// That probabilities are made for; else the one implied by the labelled samples.
  std::optional<ClassShares> from;
  /// Answers up to this uncertainty are accepted; nothing: no promise is looked at.
  std::optional<double> accept_up_to;
  MetricOptions metrics;
  std::optional<BootstrapOptions> bootstrap;
  std::vector<std::string> class_names;  ///< for sentences; empty: numbers

  std::string class_name(std::size_t k) const;
};

struct LabelledSamples {
  const Predictive& predictive;
  ArrayView<const std::int64_t> labels;
  std::vector<std::string> groups;  ///< who each is of; empty: each by itself
};

struct NewSamples {
  const Predictive& predictive;
  std::vector<std::string> groups;
};

/// An interval for each class; nothing where no replicate was defined.
using ShareIntervals = std::vector<std::optional<Interval>>;

/// Estimates for samples without labels. Intervals resample labelled and new samples alike.
struct ShiftEstimate {
  EmEstimate em;
  std::optional<BlackBoxEstimate> black_box;  ///< nothing where the confusion matrix is singular
  ShareIntervals em_intervals;                ///< empty without bootstrap, as the others
  ShareIntervals black_box_intervals;
  /// Of EM - black box, each at the level 1 - (1 - level) / classes.
  ShareIntervals difference_intervals;
};

/// The metrics that are sums over samples, so that weights make them those of another prevalence.
inline constexpr Metric kWeightedMetrics[] = {Metric::kAccuracy, Metric::kBalancedAccuracy,
                                              Metric::kNll,      Metric::kBrier,
                                              Metric::kEce,      Metric::kUce,
                                              Metric::kBcce,     Metric::kAvu};

/// Those of kWeightedMetrics; the others hold nothing.
MetricValues weighted_metric_values(const SampleFacts& facts, SampleWeights weights);

/// One way of looking at the labelled samples.
struct PrevalenceView {
  SampleFacts facts;
  MetricValues values;
  MetricIntervals intervals;
  /// At the threshold in use, and where it has to be for errors to be as rare as they were.
  std::optional<AcceptedAnswers> accepted;
  std::optional<AcceptedAnswers> kept;  ///< nothing where no threshold does
  std::optional<Interval> accepted_error;
  std::optional<Interval> kept_error;  ///< at that very threshold in each replicate
};

struct PrevalenceStudy {
  PrevalenceOptions options;
  bool is_estimated = false;  ///< `to` is that of EM
  ClassShares labels;         ///< of the labelled samples
  /// Over the labelled samples, of probabilities corrected to their own prevalence: where `from` is
  /// right it is that of the labels.
  ClassShares mean_probability;
  ClassShares from;
  ClassShares to;
  std::optional<ShiftEstimate> estimate;
  std::vector<double> class_weights;  ///< to / labels; 0 of a class that has no part in either
  double effective_samples = 0;       ///< Kish: (sum w)^2 / sum w^2
  PrevalenceView here;                ///< as they are
  PrevalenceView there;               ///< weighed to the new prevalence
  PrevalenceView corrected;           ///< weighed, and with corrected probabilities
};

/// Sample i weighs to[y_i] / labels[y_i]. Intervals resample the labelled samples, by group where
/// they have some, and where the prevalence is estimated the new ones too and estimate it anew,
/// with what is implied; the correction stays, since it is what would be used.
///
/// Throws ArgumentError where no prevalence is stated and there are no new samples; DataError for a
/// class that `to` holds, or that is to be estimated, without a labelled sample, and where no
/// prevalence is implied because answers are too sure.
PrevalenceStudy study_prevalence(const LabelledSamples& labelled,
                                 const std::optional<NewSamples>& fresh,
                                 const PrevalenceOptions& options);

}  // namespace cubcal
