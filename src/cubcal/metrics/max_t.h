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

/// Statistics d_1 ... d_m with what they are where nothing is to be found: permuted[b][j] is d_j of
/// permutation b. Each is put on a common scale, t_j = |d_j - mean| / sd over the observed and the
/// permuted values of d_j, and
///   p_j = (1 + #{b : t_bj >= t_j}) / (B + 1).
/// Corrected are they by the step-down maximum of Westfall and Young (1993, algorithm 4.1): with
/// t_(1) >= ... >= t_(m),
///   corrected p_(i) = max over h <= i of (1 + #{b : max_{l >= h} t_b(l) >= t_(h)}) / (B + 1),
/// so that of all questions without a finding any is called one with at most the probability asked
/// for, however much the statistics depend on each other. A statistic that is undefined in a
/// permutation counts as the largest there; one that never varies has p = 1.
std::vector<PermutationP> max_t_p_values(
    const std::vector<double>& observed,
    const std::vector<std::vector<std::optional<double>>>& permuted);

}  // namespace cubcal
