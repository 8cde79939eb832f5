#pragma once

#include "cubcal/prevalence/shares.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal {

/// Prevalence among samples without labels, from calibrated probabilities p made for the prevalence
/// `from`: the maximum of the likelihood
///
///   L(q) = mean_i ln sum_k q_k p_ik / from_k
///
/// over shares q, by the EM steps of Saerens et al. (2002), q_k <- q_k g_k with
/// g_k = mean_i (p_ik / from_k) / sum_j q_j p_ij / from_j. L is concave, so that it is the maximum
/// wherever the steps begin (Du Plessis and Sugiyama 2014; MLLS in Alexandari et al. 2020), and
/// max_k g_k - 1 bounds how far below the maximum L(q) is.
struct EmOptions {
  double tolerance = 1e-9;         ///< of that bound, at which the steps end
  std::size_t most_steps = 20000;  ///< or else here
};

struct EmEstimate {
  ClassShares prevalence;
  std::size_t steps = 0;
  bool converged = false;
};

/// `start` has no 0 among the classes that are to be found. Throws ArgumentError where the shares
/// are none, or one of `from` is 0.
EmEstimate em_prevalence(const Predictive& samples, const ClassShares& from,
                         const ClassShares& start, const EmOptions& options = {},
                         SampleCounts counts = {});

}  // namespace cubcal
