#include "cubcal/prevalence/accepted.h"

#include "cubcal/core/tolerances.h"
#include "cubcal/metrics/ratio.h"

namespace cubcal {

AcceptedAnswers accepted_answers(const SampleFacts& facts, SampleWeights weights,
                                 double threshold) {
  double all = 0;
  double accepted = 0;
  double wrong = 0;
  for (std::size_t i = 0; i < facts.samples; ++i) {
    all += weights[i];
    if (facts.entropy[i] > threshold) continue;
    accepted += weights[i];
    if (facts.correct[i] == 0) wrong += weights[i];
  }
  return {threshold, accepted / all, ratio(wrong, accepted)};
}

std::optional<double> threshold_for_error(const SampleFacts& facts, SampleWeights weights,
                                          double error) {
  std::optional<double> threshold;
  double accepted = 0;
  double wrong = 0;
  for (std::size_t place = 0; place < facts.samples; ++place) {
    const std::uint32_t i = facts.by_entropy[place];
    accepted += weights[i];
    if (facts.correct[i] == 0) wrong += weights[i];
    const bool is_last = place + 1 == facts.samples;
    if (!is_last && facts.entropy[facts.by_entropy[place + 1]] == facts.entropy[i]) continue;
    if (accepted > 0 && wrong <= (error + kSumRounding) * accepted) threshold = facts.entropy[i];
  }
  return threshold;
}

}  // namespace cubcal
