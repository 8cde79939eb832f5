#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cubcal/error.h"
#include "cubcal/predictive.h"

/// What referring uncertain answers is worth. docs/benefit.md has the formulas.
namespace cubcal {

/// Net benefit per patient, in diseases found, at one threshold probability of treatment.
struct NetBenefit {
  double threshold = 0;
  double policy = 0;      ///< answers of more uncertainty are referred, the others given
  double answer_all = 0;  ///< all answers are given
  double treat_all = 0;
  double refer_all = 0;  ///< treating none is worth 0
  double missed = 0;     ///< of the policy, as a share of all patients, as the next two
  double false_alarms = 0;
  double referred = 0;
};

/// A referred case is answered by an expert who is always right, at a cost in diseases found.
struct ReferralPolicy {
  double refer_above = 0.325;  ///< nats
  double referral_cost = 0;
};

/// The disease is the classes `positive`, some and not all of them; thresholds rise in [0, 1).
/// Throws ArgumentError else, and DataError for labels that do not fit.
std::vector<NetBenefit> net_benefit(const Predictive& predictive,
                                    const std::vector<std::int64_t>& labels,
                                    const std::vector<std::size_t>& positive,
                                    const std::vector<double>& thresholds,
                                    const ReferralPolicy& policy);

}  // namespace cubcal
