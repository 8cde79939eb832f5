#include "cubcal/calibration/selection.h"

#include <algorithm>

#include "cubcal/calibration/folds.h"
#include "cubcal/core/error.h"
#include "cubcal/core/take_rows.h"

namespace cubcal {

namespace {

/// Some samples of a labelled set, as a set of its own.
struct Part {
  NdArray logits;
  std::vector<std::int64_t> labels;
  std::vector<std::string> groups;

  Part(const McLogits& all, ArrayView<const std::int64_t> all_labels,
       const std::vector<std::string>& all_groups, const std::vector<std::size_t>& rows)
      : logits(
            take_rows(all.data(), all.dtype(), all.passes(), all.samples(), all.classes(), rows)),
        labels(take_rows(all_labels, rows)),
        groups(take_rows(all_groups, rows)) {}
};

/// Puts the prediction of some samples in their places.
void place(const Predictive& part, const std::vector<std::size_t>& rows, Predictive& whole) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(part.probabilities.begin() + static_cast<std::ptrdiff_t>(i * part.classes),
                part.classes,
                whole.probabilities.begin() + static_cast<std::ptrdiff_t>(rows[i] * part.classes));
    whole.predicted[rows[i]] = part.predicted[i];
    whole.confidence[rows[i]] = part.confidence[i];
    whole.entropy[rows[i]] = part.entropy[i];
    whole.aleatoric[rows[i]] = part.aleatoric[i];
  }
}

/// Each sample predicted through a calibration that has not seen its group.
Predictive predict_held_out(const Part& set, const Predictive& unscaled, const Folds& folds,
                            const FitOptions& options, std::size_t& unscaled_folds) {
  const McLogits logits(set.logits);
  Predictive held_out = unscaled;
  for (std::size_t fold = 0; fold < folds.count; ++fold) {
    const Part fitted(logits, set.labels, set.groups, folds.outside(fold));
    const std::vector<std::size_t> rows = folds.inside(fold);
    const Part others(logits, set.labels, set.groups, rows);
    const Calibration calibration =
        fit_calibration(McLogits(fitted.logits), fitted.labels, options, fitted.groups).calibration;
    unscaled_folds += leaves_all(calibration) ? 1 : 0;
    place(predict_calibrated(McLogits(others.logits), calibration), rows, held_out);
  }
  return held_out;
}

/// A ranking of samples whose folds have different temperatures would be judged by those
/// differences, which no deployed calibration has: AURC is that of the one calibration.
void take_ranking(const CalibrationEffect& fitted, CalibrationEffect& held_out) {
  constexpr auto kAurc = static_cast<std::size_t>(Metric::kAurc);
  held_out.after[Metric::kAurc] = fitted.after[Metric::kAurc];
  held_out.difference[kAurc] = fitted.difference[kAurc];
}

/// All samples, or so many whole groups of them that holding out stays quick and each fold has two.
std::vector<std::size_t> samples_to_hold_out(const McLogits& logits,
                                             const std::vector<std::string>& groups,
                                             const SelectionOptions& options) {
  const std::size_t all = logits.passes() * logits.classes() * logits.samples();
  const std::size_t units = resampling_units(logits.samples(), groups, "samples").count;
  const std::size_t parts = std::min((all - 1) / kHeldOutLogits + 1,
                                     std::max<std::size_t>(1, units / (2 * options.folds)));
  return make_folds(logits.samples(), groups, parts, options.seed + 1).inside(0);
}

}  // namespace

int CalibrationEffect::change(Metric metric) const {
  const auto index = static_cast<std::size_t>(metric);
  return better_side(metric_infos()[index], difference[index]);
}

std::vector<Metric> CalibrationEffect::better() const {
  std::vector<Metric> metrics;
  for (const Metric metric : kJudgedMetrics) {
    if (change(metric) > 0) metrics.push_back(metric);
  }
  return metrics;
}

std::vector<Metric> CalibrationEffect::worse() const {
  std::vector<Metric> metrics;
  for (const Metric metric : kJudgedMetrics) {
    const bool is_error = metric_infos()[static_cast<std::size_t>(metric)].better < 0;
    const bool is_negligible = is_error && before[metric] && after[metric] &&
                               *after[metric] <= (1 + kNegligibleRise) * *before[metric];
    if (change(metric) < 0 && !is_negligible) metrics.push_back(metric);
  }
  return metrics;
}

CalibrationEffect calibration_effect(const SampleFacts& before, const SampleFacts& after,
                                     const std::vector<std::string>& groups,
                                     const BootstrapOptions& bootstrap) {
  return {metric_values(before), metric_values(after),
          paired_bootstrap(before, after, groups, bootstrap).intervals};
}

CalibrationSelection select_calibration(const McLogits& logits,
                                        ArrayView<const std::int64_t> labels,
                                        const std::vector<std::string>& groups,
                                        const SelectionOptions& options) {
  CalibrationSelection selection;
  const Part part(logits, labels, groups, samples_to_hold_out(logits, groups, options));
  const Folds folds = make_folds(part.labels.size(), part.groups, options.folds, options.seed);
  if (folds.count < 2) {
    throw DataError(
        "all samples are of one group, so that none can be held out to choose a method by: name "
        "one");
  }
  selection.folds = folds.count;
  selection.samples = part.labels.size();
  const Predictive unscaled = predict(McLogits(part.logits));
  const SampleFacts before = sample_facts(unscaled, part.labels, options.metrics);
  for (const CalibrationMethod method : kCalibrationMethods) {
    FitOptions fit = options.fit;
    fit.method = method;
    CalibrationCandidate candidate;
    candidate.fit = fit_calibration(logits, labels, fit, groups);
    fit.refinements = std::min<std::size_t>(fit.refinements, 1);
    const Predictive held_out =
        predict_held_out(part, unscaled, folds, fit, candidate.unscaled_folds);
    const SampleFacts after = sample_facts(held_out, part.labels, options.metrics);
    candidate.held_out = calibration_effect(before, after, part.groups, options.bootstrap);
    const SampleFacts fitted =
        sample_facts(apply_calibration(candidate.fit.calibration, McLogits(part.logits), unscaled),
                     part.labels, options.metrics);
    take_ranking(calibration_effect(before, fitted, part.groups, options.bootstrap),
                 candidate.held_out);
    selection.candidates.push_back(std::move(candidate));
  }
  for (std::size_t i = 0; i < selection.candidates.size(); ++i) {
    const Calibration& calibration = selection.candidates[i].fit.calibration;
    if (leaves_all(calibration)) continue;
    const CalibrationEffect& effect = selection.candidates[i].held_out;
    if (!effect.worse().empty() || effect.better().empty()) continue;
    if (!selection.best ||
        *effect.after[Metric::kNll] <
            *selection.candidates[*selection.best].held_out.after[Metric::kNll]) {
      selection.best = i;
    }
  }
  return selection;
}

}  // namespace cubcal
