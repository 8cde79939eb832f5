#pragma once

#include "cubcal/prevalence/shares.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal {

/// The prevalence that probabilities are made for, from samples with labels: what the model learned
/// or was balanced to, which need not be theirs. Corrected from it to the shares s of the labels,
/// p_ik r_k / sum_j p_ij r_j with r = s / from, probabilities have the highest likelihood of the
/// labels that weights r can give (the bias part of bias-corrected calibration, Alexandari et al.
/// 2020), and so the means s. The steps are Hunter's (2004) for this concave problem:
///
///   from_k <- mean_i p_ik / sum_j p_ij s_j / from_j, divided by their sum.
///
/// Probabilities are floored at 1e-12, so that answers too sure for weights to change them give
/// shares next to 0. A class without a label says nothing of its own share: it has what those steps
/// leave it, and no part in r.
struct ImpliedOptions {
  double tolerance = 1e-9;         ///< of the means against s, at which the steps end
  std::size_t most_steps = 20000;  ///< or else here
};

struct ImpliedPrevalence {
  ClassShares prevalence;
  bool converged = false;
};

/// `start` is where the steps begin, above 0 each.
ImpliedPrevalence implied_prevalence(const Predictive& predictive,
                                     ArrayView<const std::int64_t> labels, const ClassShares& start,
                                     const ImpliedOptions& options = {}, SampleCounts counts = {});

/// The same, from equal shares on. Throws DataError where a share is below 1e-6 or the steps did
/// not end: answers are too sure to tell.
ClassShares told_prevalence(const Predictive& predictive, ArrayView<const std::int64_t> labels);

}  // namespace cubcal
