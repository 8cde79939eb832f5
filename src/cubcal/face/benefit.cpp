#include "cubcal/benefit.h"

#include "cubcal/benefit/benefit_curve.h"

namespace cubcal {

std::vector<NetBenefit> net_benefit(const Predictive& predictive,
                                    const std::vector<std::int64_t>& labels,
                                    const std::vector<std::size_t>& positive,
                                    const std::vector<double>& thresholds,
                                    const ReferralPolicy& policy) {
  std::vector<std::uint8_t> is_positive(predictive.classes, 0);
  for (const std::size_t k : positive) {
    if (k >= predictive.classes) {
      throw ArgumentError("there is no class " + std::to_string(k) + ": there are " +
                          std::to_string(predictive.classes));
    }
    is_positive[k] = 1;
  }
  BenefitCases cases = benefit_cases(predictive, labels, is_positive);
  cases.decisions = decisions_by_uncertainty(predictive.entropy, policy.refer_above, {});
  BenefitOptions options;
  options.thresholds = thresholds;
  options.prices.referral = policy.referral_cost;
  std::vector<NetBenefit> benefits;
  for (const BenefitPoint& point : benefit_curve(cases, options).points) {
    const StrategyOutcome& outcome = point.outcome(Strategy::kPolicy);
    benefits.push_back({point.threshold, point.value(Strategy::kPolicy),
                        point.value(Strategy::kAnswerAll), point.value(Strategy::kTreatAll),
                        point.value(Strategy::kReferAll), outcome.missed, outcome.false_alarms,
                        outcome.referred});
  }
  return benefits;
}

}  // namespace cubcal
