#include "cubcal/report/referral.h"

#include <cmath>

#include "cubcal/metrics/selective.h"
#include "cubcal/report/numbers.h"

namespace cubcal::report {

Referral find_referral(const SampleFacts& test, const SampleFacts* validation, double target) {
  const SampleFacts& source = validation ? *validation : test;
  Referral referral;
  referral.target = target;
  referral.from_validation = validation != nullptr;
  const std::vector<double> risk = risk_coverage(source, Certainty::kEntropy);
  const std::optional<double> coverage = coverage_at_risk(risk, target);
  if (!coverage) return referral;
  const auto answered =
      static_cast<std::size_t>(std::lround(*coverage * static_cast<double>(source.samples)));
  referral.threshold = source.entropy[source.by_entropy[answered - 1]];
  for (std::size_t i = 0; i < test.samples; ++i) {
    if (test.entropy[i] > *referral.threshold) continue;
    ++referral.answered;
    if (!test.correct[i]) ++referral.errors;
  }
  referral.share_referred =
      1 - static_cast<double>(referral.answered) / static_cast<double>(test.samples);
  if (referral.answered > 0) {
    referral.error_rate = wilson_interval(static_cast<double>(referral.errors),
                                          static_cast<double>(referral.answered));
  }
  return referral;
}

}  // namespace cubcal::report
