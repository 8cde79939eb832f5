#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace cubcal {

/// p-values of one question, and of that question among all that were asked.
struct PermutationP {
  double p = 1;
  double corrected = 1;
};

/// With fewer permutations no p-value can be at or below `bound`: the smallest is 1 / (B + 1).
std::size_t fewest_permutations(double bound);

/// Statistics d_1 ... d_m with what they are where nothing is to be found: permuted[b][j] is d_j of
/// permutation b. Each is put on a common scale, t_j = |d_j - mean| / sd over the observed and the
/// permuted values of d_j, and
///   p_j = (1 + #{b : t_bj >= t_j}) / (B + 1).
/// Corrected are they by the step-down maximum of Westfall and Young (1993, algorithm 4.1): with
/// t_(1) >= ... >= t_(m),
///   corrected p_(i) = max over h <= i of (1 + #{b : max_{l >= h} t_b(l) >= t_(h)}) / (B + 1),
/// so that of all questions without a finding any is called one with at most the probability asked
/// for, however much the statistics depend on each other. One that never varies has p = 1.
///
/// A statistic that is undefined in a permutation (a difference between right and wrong answers
/// where none is wrong) takes no part in the maximum there, as if t were 0; one that is undefined
/// among the observed values has p = 1 and takes part in the permutations all the same. So observed
/// and permuted rows are treated alike: their maxima are exchangeable where nothing is to be found,
/// and the chance of any finding stays at most the one asked for. Left out of the permutations as
/// well, what happens to be undefined would make the maxima smaller than the observed one; called
/// infinite, it would be a floor under the p-values of all others. Its own p counts each
/// permutation in which it is undefined against it, and its corrected p is at least that: this
/// raises p-values only, and no other's.
std::vector<PermutationP> max_t_p_values(
    const std::vector<std::optional<double>>& observed,
    const std::vector<std::vector<std::optional<double>>>& permuted);

}  // namespace cubcal
