#include "cubcal/metrics/accuracy_vs_uncertainty.h"

#include <algorithm>

#include "cubcal/boundary/regions.h"

namespace cubcal {

namespace {

constexpr int kCurvePoints = 21;

}  // namespace

double AvuCounts::avu() const {
  return (accurate_certain + inaccurate_uncertain) /
         (accurate_certain + accurate_uncertain + inaccurate_certain + inaccurate_uncertain);
}

AvuCounts avu_counts(const SampleFacts& facts, SampleWeights weights) {
  AvuCounts states;
  for (std::size_t i = 0; i < facts.samples; ++i) {
    const double weight = weights[i];
    switch (
        avu_state(facts.correct[i] != 0, facts.entropy[i], facts.options.uncertainty_threshold)) {
      case AvuState::kAccurateCertain: states.accurate_certain += weight; break;
      case AvuState::kAccurateUncertain: states.accurate_uncertain += weight; break;
      case AvuState::kInaccurateCertain: states.inaccurate_certain += weight; break;
      case AvuState::kInaccurateUncertain: states.inaccurate_uncertain += weight; break;
    }
  }
  return states;
}

std::vector<AvuPoint> avu_curve(const SampleFacts& facts, SampleCounts counts) {
  double lowest = 0.0;
  double highest = 0.0;
  double right = 0.0;
  double wrong = 0.0;
  for (const std::uint32_t i : facts.by_entropy) {
    const double count = counts[i];
    if (count == 0) continue;
    if (right + wrong == 0) lowest = facts.entropy[i];
    highest = facts.entropy[i];
    (facts.correct[i] != 0 ? right : wrong) += count;
  }
  std::vector<AvuPoint> curve;
  double certain_right = 0.0;
  double certain_wrong = 0.0;
  auto next = facts.by_entropy.begin();
  for (int point = 0; point < kCurvePoints; ++point) {
    const double t = static_cast<double>(point) / (kCurvePoints - 1);
    // The last threshold is the largest U itself, which rounding must not push below it.
    const double threshold = point == kCurvePoints - 1 ? highest : lowest + t * (highest - lowest);
    for (; next != facts.by_entropy.end() && facts.entropy[*next] <= threshold; ++next) {
      (facts.correct[*next] != 0 ? certain_right : certain_wrong) += counts[*next];
    }
    curve.push_back({t, threshold, (certain_right + (wrong - certain_wrong)) / (right + wrong)});
  }
  return curve;
}

double avu_area(const std::vector<AvuPoint>& curve) {
  double area = 0.0;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    area += 0.5 * (curve[i].avu + curve[i - 1].avu) * (curve[i].t - curve[i - 1].t);
  }
  return area;
}

UncertaintySeparation uncertainty_separation(const SampleFacts& facts, SampleCounts counts) {
  double sum[2] = {0, 0};
  double number[2] = {0, 0};
  for (std::size_t i = 0; i < facts.samples; ++i) {
    sum[facts.correct[i]] += counts[i] * facts.entropy[i];
    number[facts.correct[i]] += counts[i];
  }
  UncertaintySeparation separation;
  if (number[1] > 0) separation.correct = sum[1] / number[1];
  if (number[0] > 0) separation.incorrect = sum[0] / number[0];
  if (separation.correct && separation.incorrect) {
    separation.delta = *separation.incorrect - *separation.correct;
  }
  return separation;
}

double mean_mutual_information(const SampleFacts& facts, SampleCounts counts) {
  return mean_over_samples(facts.mutual_information, counts);
}

}  // namespace cubcal
