#include "cubcal/prevalence/study.h"

#include <algorithm>
#include <functional>

#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"
#include "cubcal/metrics/accuracy_vs_uncertainty.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/metrics/classification.h"
#include "cubcal/prevalence/implied_prevalence.h"
#include "cubcal/prevalence/prior_correction.h"

namespace cubcal {

namespace {

/// Replicates start near the estimate and need not be as exact as it.
constexpr EmOptions kReplicateEm = {1e-6, 2000};
constexpr ImpliedOptions kReplicateImplied = {1e-6, 2000};
constexpr double kShareOfStart = 0.01;  ///< of the old prevalence in that start, against zeros

ClassShares mean_probabilities(const Predictive& predictive) {
  ClassShares means(predictive.classes, 0.0);
  for (std::size_t i = 0; i < predictive.probabilities.size(); ++i) {
    means[i % predictive.classes] += predictive.probabilities[i];
  }
  for (double& mean : means) mean /= static_cast<double>(predictive.samples);
  return means;
}

/// Empty where a class has a part in the new prevalence and no labelled sample.
std::vector<double> class_weights_of(const ClassShares& to, const ClassShares& labels) {
  std::vector<double> weights;
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (labels[k] == 0 && to[k] > 0) return {};
    weights.push_back(labels[k] == 0 ? 0 : to[k] / labels[k]);
  }
  return weights;
}

bool has_zero(const ClassShares& shares) {
  return std::find(shares.begin(), shares.end(), 0.0) != shares.end();
}

/// `to` is nothing where the prevalence of every class is to be estimated.
void refuse_missing_class(const PrevalenceOptions& options, const ClassShares& labels,
                          const ClassShares* to) {
  for (std::size_t k = 0; k < labels.size(); ++k) {
    if (labels[k] > 0 || (to != nullptr && (*to)[k] == 0)) continue;
    throw DataError("no labelled sample is of the class '" + options.class_name(k) +
                    "', so that its prevalence cannot " +
                    (to == nullptr ? "be estimated" : "become " + significant((*to)[k], 4)));
  }
}

std::vector<double> sample_weights(const SampleFacts& facts, const std::vector<double>& of_class,
                                   SampleCounts counts) {
  std::vector<double> weights(facts.samples);
  for (std::size_t i = 0; i < facts.samples; ++i) {
    weights[i] = counts[i] * of_class[static_cast<std::size_t>(facts.labels[i])];
  }
  return weights;
}

double kish_size(const std::vector<double>& weights) {
  double sum = 0;
  double squares = 0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
  }
  return sum * sum / squares;
}

ShiftEstimate point_estimate(const SampleFacts& labelled, const ClassShares& from,
                             const NewSamples& fresh) {
  ShiftEstimate estimate;
  estimate.em = em_prevalence(fresh.predictive, from, from);
  estimate.black_box =
      black_box_prevalence(CountedConfusion(labelled), answer_shares(fresh.predictive));
  return estimate;
}

PrevalenceView view_of(SampleFacts facts, SampleWeights weights) {
  PrevalenceView view;
  view.facts = std::move(facts);
  view.values = weighted_metric_values(view.facts, weights);
  return view;
}

/// The threshold in use, and the one that keeps the errors of `promise`.
void look_at_promise(PrevalenceView& view, SampleWeights weights, double threshold,
                     const AcceptedAnswers* promise) {
  view.accepted = accepted_answers(view.facts, weights, threshold);
  if (promise == nullptr || !promise->error) return;
  const std::optional<double> kept = threshold_for_error(view.facts, weights, *promise->error);
  if (kept) view.kept = accepted_answers(view.facts, weights, *kept);
}

/// What one replicate says of a view.
struct ViewReplicate {
  MetricValues values;
  std::optional<double> accepted_error;
  std::optional<double> kept_error;
};

struct StudyReplicate {
  bool is_defined = false;  ///< the views: every class that weighs something was drawn
  ViewReplicate here;
  ViewReplicate there;
  ViewReplicate corrected;
  ClassShares em;         ///< empty where not estimated, or a class was not drawn
  ClassShares black_box;  ///< the same
};

ViewReplicate replicate_of(const PrevalenceView& view, SampleWeights weights) {
  ViewReplicate replicate;
  replicate.values = weighted_metric_values(view.facts, weights);
  if (view.accepted) {
    replicate.accepted_error =
        accepted_answers(view.facts, weights, view.accepted->threshold).error;
  }
  if (view.kept) {
    replicate.kept_error = accepted_answers(view.facts, weights, view.kept->threshold).error;
  }
  return replicate;
}

ClassShares start_of_replicate(const ClassShares& estimate, const ClassShares& from) {
  ClassShares start;
  for (std::size_t k = 0; k < from.size(); ++k) {
    start.push_back((1 - kShareOfStart) * estimate[k] + kShareOfStart * from[k]);
  }
  return start;
}

/// Draws labelled and new samples, stream 2r and 2r + 1 of the seed, and looks again.
class StudyResampling {
 public:
  StudyResampling(const PrevalenceStudy& study, const LabelledSamples& labelled,
                  const std::optional<NewSamples>& fresh)
      : study_(study),
        labelled_(labelled),
        fresh_(fresh),
        labelled_units_(
            resampling_units(labelled.predictive.samples, labelled.groups, "the samples")) {
    if (fresh) {
      fresh_units_ = resampling_units(fresh->predictive.samples, fresh->groups, "the new samples");
    }
  }

  StudyReplicate replicate(std::uint64_t seed, std::size_t r) const {
    SeedStream stream(seed, 2 * r);
    const std::vector<std::uint32_t> drawn = draw_counts(labelled_units_, stream);
    const SampleCounts counts{drawn};
    const SampleFacts& facts = study_.here.facts;
    const ClassShares labels = label_shares(facts.labels, facts.classes, counts);
    StudyReplicate result;
    if (study_.estimate && !has_zero(labels)) estimate(result, counts, seed, r);
    if (study_.is_estimated && result.em.empty()) return result;
    const std::vector<double> of_class =
        class_weights_of(study_.is_estimated ? result.em : study_.to, labels);
    if (of_class.empty()) return result;
    const std::vector<double> weights = sample_weights(facts, of_class, counts);
    result.is_defined = true;
    result.here = replicate_of(study_.here, counts);
    result.there = replicate_of(study_.there, SampleWeights(weights));
    result.corrected = replicate_of(study_.corrected, SampleWeights(weights));
    return result;
  }

 private:
  void estimate(StudyReplicate& result, SampleCounts counts, std::uint64_t seed,
                std::size_t r) const {
    SeedStream stream(seed, 2 * r + 1);
    const std::vector<std::uint32_t> drawn = draw_counts(fresh_units_, stream);
    const SampleCounts fresh_counts{drawn};
    const Predictive& fresh = fresh_->predictive;
    const ClassShares from = study_.options.from
                                 ? study_.from
                                 : implied_prevalence(labelled_.predictive, labelled_.labels,
                                                      study_.from, kReplicateImplied, counts)
                                       .prevalence;
    result.em = em_prevalence(fresh, from, start_of_replicate(study_.estimate->em.prevalence, from),
                              kReplicateEm, fresh_counts)
                    .prevalence;
    const auto black_box = black_box_prevalence(CountedConfusion(study_.here.facts, counts),
                                                answer_shares(fresh, fresh_counts));
    if (black_box) result.black_box = black_box->prevalence;
  }

  const PrevalenceStudy& study_;
  const LabelledSamples& labelled_;
  const std::optional<NewSamples>& fresh_;
  ResamplingUnits labelled_units_;
  ResamplingUnits fresh_units_;
};

using Replicates = std::vector<StudyReplicate>;

std::optional<Interval> interval_over(
    const Replicates& replicates, double level,
    const std::function<std::optional<double>(const StudyReplicate&)>& number) {
  std::vector<double> values;
  for (const StudyReplicate& replicate : replicates) {
    if (const std::optional<double> value = number(replicate)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return percentile_interval(std::move(values), level);
}

void add_view_intervals(PrevalenceView& view, const Replicates& replicates, double level,
                        ViewReplicate StudyReplicate::*which) {
  const auto interval = [&](const auto& number) {
    return interval_over(replicates, level, [&](const StudyReplicate& replicate) {
      return replicate.is_defined ? number(replicate.*which) : std::nullopt;
    });
  };
  for (const Metric metric : kWeightedMetrics) {
    view.intervals[static_cast<std::size_t>(metric)] =
        interval([&](const ViewReplicate& each) { return each.values[metric]; });
  }
  view.accepted_error = interval([](const ViewReplicate& each) { return each.accepted_error; });
  view.kept_error = interval([](const ViewReplicate& each) { return each.kept_error; });
}

void add_estimate_intervals(ShiftEstimate& estimate, const Replicates& replicates, double level) {
  const std::size_t classes = estimate.em.prevalence.size();
  const double stricter = 1 - (1 - level) / static_cast<double>(classes);
  for (std::size_t k = 0; k < classes; ++k) {
    const auto share = [k](const ClassShares& shares) {
      return shares.empty() ? std::nullopt : std::optional<double>(shares[k]);
    };
    estimate.em_intervals.push_back(
        interval_over(replicates, level, [&](const auto& each) { return share(each.em); }));
    estimate.black_box_intervals.push_back(
        interval_over(replicates, level, [&](const auto& each) { return share(each.black_box); }));
    estimate.difference_intervals.push_back(interval_over(
        replicates, stricter, [&](const StudyReplicate& each) -> std::optional<double> {
          if (each.em.empty() || each.black_box.empty()) return std::nullopt;
          return each.em[k] - each.black_box[k];
        }));
  }
}

void add_intervals(PrevalenceStudy& study, const LabelledSamples& labelled,
                   const std::optional<NewSamples>& fresh) {
  const BootstrapOptions& options = *study.options.bootstrap;
  const StudyResampling resampling(study, labelled, fresh);
  Replicates replicates(options.replicates);
  parallel_blocks(options.replicates, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      replicates[r] = resampling.replicate(options.seed, r);
    }
  });
  add_view_intervals(study.here, replicates, options.level, &StudyReplicate::here);
  add_view_intervals(study.there, replicates, options.level, &StudyReplicate::there);
  add_view_intervals(study.corrected, replicates, options.level, &StudyReplicate::corrected);
  if (study.estimate) add_estimate_intervals(*study.estimate, replicates, options.level);
}

}  // namespace

std::string PrevalenceOptions::class_name(std::size_t k) const {
  return class_names.empty() ? std::to_string(k) : class_names[k];
}

MetricValues weighted_metric_values(const SampleFacts& facts, SampleWeights weights) {
  MetricValues values;
  values[Metric::kAccuracy] = accuracy(facts, weights);
  values[Metric::kBalancedAccuracy] = balanced_accuracy(facts, weights);
  values[Metric::kNll] = negative_log_likelihood(facts, weights);
  values[Metric::kBrier] = brier_score(facts, weights);
  values[Metric::kEce] = expected_calibration_error(facts, weights).value;
  values[Metric::kUce] = uncertainty_calibration_error(facts, weights).value;
  values[Metric::kBcce] = boundary_curve_calibration_error(facts, weights).value;
  values[Metric::kAvu] = avu_counts(facts, weights).avu();
  return values;
}

PrevalenceStudy study_prevalence(const LabelledSamples& labelled,
                                 const std::optional<NewSamples>& fresh,
                                 const PrevalenceOptions& options) {
  const Predictive& predictive = labelled.predictive;
  if (!options.to && !fresh) {
    throw ArgumentError("another prevalence must be stated or estimated from new samples");
  }
  if (options.to) check_shares("the new prevalence", *options.to, predictive.classes);
  if (options.bootstrap) check_bootstrap_options(*options.bootstrap);
  if (options.accept_up_to) {
    check_at_least("the uncertainty up to which answers are accepted", *options.accept_up_to, 0);
  }
  SampleFacts facts = sample_facts(predictive, labelled.labels, options.metrics);
  PrevalenceStudy study;
  study.options = options;
  study.labels = label_shares(labelled.labels, predictive.classes);
  if (fresh) refuse_missing_class(options, study.labels, nullptr);
  if (options.to) refuse_missing_class(options, study.labels, &*options.to);
  study.from = options.from ? *options.from : told_prevalence(predictive, labelled.labels);
  study.mean_probability = mean_probabilities(correct_priors(predictive, study.from, study.labels));
  if (fresh) study.estimate = point_estimate(facts, study.from, *fresh);
  study.is_estimated = !options.to;
  study.to = options.to ? *options.to : study.estimate->em.prevalence;
  study.class_weights = class_weights_of(study.to, study.labels);
  const std::vector<double> weights = sample_weights(facts, study.class_weights, {});
  study.effective_samples = kish_size(weights);

  study.corrected = view_of(sample_facts(correct_priors(predictive, study.from, study.to),
                                         labelled.labels, options.metrics),
                            SampleWeights(weights));
  study.there = view_of(facts, SampleWeights(weights));
  study.here = view_of(std::move(facts), {});
  if (options.accept_up_to) {
    look_at_promise(study.here, {}, *options.accept_up_to, nullptr);
    const AcceptedAnswers promise = *study.here.accepted;
    look_at_promise(study.there, SampleWeights(weights), *options.accept_up_to, &promise);
    look_at_promise(study.corrected, SampleWeights(weights), *options.accept_up_to, &promise);
  }
  if (options.bootstrap) add_intervals(study, labelled, fresh);
  return study;
}

}  // namespace cubcal
