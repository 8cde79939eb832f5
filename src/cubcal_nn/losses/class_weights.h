#pragma once

#include <cstdint>
#include <vector>

namespace cubcal {

/// w_k proportional to n_k^-power, scaled so that the mean weight over the training samples is 1:
/// power 0 gives ones, power 1 the balanced weights N / (K n_k). A class without samples throws
/// DataError that names it.
std::vector<double> class_weights(const std::vector<std::int64_t>& counts, double power);

/// N / (K n_k).
std::vector<double> balanced_class_weights(const std::vector<std::int64_t>& counts);

}  // namespace cubcal
