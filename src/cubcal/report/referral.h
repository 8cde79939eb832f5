#pragma once

#include <optional>

#include "cubcal/metrics/resampling.h"
#include "cubcal/metrics/sample_facts.h"

namespace cubcal::report {

/// What happens when the most uncertain cases go to a person and the rest is answered.
struct Referral {
  double target = 0;             ///< error rate asked for among the answers
  bool from_validation = false;  ///< the threshold was found there, and tried on test images
  /// Answered are cases with U at or below; none where no share of answers meets the target.
  std::optional<double> threshold;
  double share_referred = 1;
  std::size_t answered = 0;
  std::size_t errors = 0;              ///< among them
  std::optional<Interval> error_rate;  ///< 95% interval; none where nothing is answered
};

/// The threshold is the largest U up to which the answers on validation images meet the target; on
/// the test images themselves where there is no validation, which flatters.
Referral find_referral(const SampleFacts& test, const SampleFacts* validation, double target);

}  // namespace cubcal::report
