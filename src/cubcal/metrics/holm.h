#pragma once

#include <vector>

namespace cubcal {

/// p-values of several questions asked of the same data, adjusted so that all of them together
/// err with at most the probability of one (Holm 1979): the i-th smallest of m becomes the largest
/// of (m - j + 1) p_j over j <= i, at most 1. In the order they came in.
std::vector<double> holm_adjusted(const std::vector<double>& p_values);

}  // namespace cubcal
