#pragma once

#include "cubcal/prevalence/shares.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal {

/// Probabilities for another prevalence (Saerens, Latinne and Decaestecker 2002, Eq. 2.4), where
/// classes look as before and only their shares change:
///
///   p'_k = p_k to_k / from_k / sum_j p_j to_j / from_j,
///
/// `from` the prevalence that p was made for. It is the mean over the passes that is corrected, so
/// that nothing is left to tell aleatoric from epistemic: `aleatoric` is the whole entropy. A row
/// whose classes of probability above 0 are all gone (to_k = 0) has its probabilities floored at
/// 1e-12 first. Throws ArgumentError where the shares are none, or a class is to come from a
/// share of 0.
Predictive correct_priors(const Predictive& predictive, const ClassShares& from,
                          const ClassShares& to);

}  // namespace cubcal
