#pragma once

#include <optional>

#include "cubcal/metrics/agreement.h"
#include "cubcal/prevalence/shares.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal {

/// Prevalence among samples without labels, from answers alone (black box shift estimation, Lipton
/// et al. 2018): with M_ij = P(answer i | label j) of labelled samples and mu_i the share of answer
/// i among the new ones, q solves M q = mu. It needs no calibrated probabilities.
struct BlackBoxEstimate {
  ClassShares prevalence;   ///< what is below 0 set to 0, and divided by the sum
  std::vector<double> raw;  ///< the solution itself, which sums to 1 and may lie outside [0, 1]
  /// Condition of M in the 1-norm: since the columns of M sum to 1, that of its inverse. An error
  /// of 1 point in how often classes are answered becomes at most so many in the estimate.
  double condition = 0;
};

/// Shares of the counted answers.
ClassShares answer_shares(const Predictive& samples, SampleCounts counts = {});

/// Nothing where M is singular, or a class has no labelled sample.
std::optional<BlackBoxEstimate> black_box_prevalence(const CountedConfusion& labelled,
                                                     const ClassShares& answers);

}  // namespace cubcal
