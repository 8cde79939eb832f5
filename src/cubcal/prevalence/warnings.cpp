#include "cubcal/prevalence/warnings.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

std::size_t largest(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

void warn_of_weights(std::vector<std::string>& warnings, const PrevalenceStudy& study) {
  const auto samples = static_cast<double>(study.here.facts.samples);
  const double effective = study.effective_samples;
  if (effective >= kFewEffectiveSamples && effective >= kSmallEffectiveShare * samples) return;
  const std::size_t k = largest(study.class_weights);
  warnings.push_back("The " + fixed(samples, 0) + " samples count as " + fixed(effective, 0) +
                     " at the new prevalence (each of '" + study.options.class_name(k) +
                     "' weighs " + significant(study.class_weights[k], 3) +
                     "): numbers weighed to it are unreliable.");
}

/// Where the prevalence that probabilities are made for was stated: an implied one fits.
void warn_of_calibration(std::vector<std::string>& warnings, const PrevalenceStudy& study) {
  std::vector<double> misses;
  for (std::size_t k = 0; k < study.labels.size(); ++k) {
    misses.push_back(std::abs(study.mean_probability[k] - study.labels[k]));
  }
  const std::size_t k = largest(misses);
  if (misses[k] <= kLargeMiss) return;
  warnings.push_back(
      "Probabilities made for the stated prevalence would give '" + study.options.class_name(k) +
      "' " + percent(study.mean_probability[k]) + " on average, but " + percent(study.labels[k]) +
      " of the labels are it: that prevalence is wrong, or they are not calibrated.");
}

/// Classes that are no answer to any labelled sample cannot be counted by answers.
std::string singular_warning(const PrevalenceStudy& study) {
  std::vector<std::uint8_t> is_answered(study.here.facts.classes, 0);
  for (const std::int32_t k : study.here.facts.predicted) {
    is_answered[static_cast<std::size_t>(k)] = 1;
  }
  constexpr std::size_t kMostNamed = 8;
  std::string names;
  std::size_t unanswered = 0;
  for (std::size_t k = 0; k < is_answered.size(); ++k) {
    if (is_answered[k] == 1 || ++unanswered > kMostNamed) continue;
    names += (names.empty() ? "'" : ", '") + study.options.class_name(k) + "'";
  }
  if (unanswered == 0) {
    return "The confusion matrix is singular: there is no estimate from answers to compare with, "
           "and that of EM is unchecked.";
  }
  if (unanswered > kMostNamed) {
    names += " and " + std::to_string(unanswered - kMostNamed) + " more";
  }
  return "No labelled sample is answered with " + names +
         ": there is no estimate from answers to compare with, and what EM says of " +
         (unanswered == 1 ? "this class" : "these classes") + " is unchecked.";
}

void warn_of_estimate(std::vector<std::string>& warnings, const PrevalenceStudy& study) {
  const ShiftEstimate& estimate = *study.estimate;
  if (!estimate.em.converged) {
    warnings.push_back("EM was still moving after " + std::to_string(estimate.em.steps) +
                       " steps: the classes can hardly be told apart.");
  }
  if (!estimate.black_box) {
    warnings.push_back(singular_warning(study));
    return;
  }
  if (estimate.black_box->condition > kHighCondition) {
    warnings.push_back("The confusion matrix has a condition of " +
                       significant(estimate.black_box->condition, 3) +
                       ": the estimate from answers is unreliable.");
  }
  for (std::size_t k = 0; k < estimate.difference_intervals.size(); ++k) {
    const std::optional<Interval>& interval = estimate.difference_intervals[k];
    if (!interval || (interval->low <= 0 && interval->high >= 0)) continue;
    warnings.push_back("The two estimates of '" + study.options.class_name(k) +
                       "' differ by more than chance: probabilities are not calibrated, or more "
                       "than the prevalence has changed.");
    return;
  }
}

}  // namespace

std::vector<std::string> prevalence_warnings(const PrevalenceStudy& study) {
  std::vector<std::string> warnings;
  warn_of_weights(warnings, study);
  warn_of_calibration(warnings, study);
  if (study.estimate) warn_of_estimate(warnings, study);
  return warnings;
}

}  // namespace cubcal
