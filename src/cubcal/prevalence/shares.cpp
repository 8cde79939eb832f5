#include "cubcal/prevalence/shares.h"

#include <cmath>

#include "cubcal/core/check.h"

namespace cubcal {

void check_shares(const char* name, const ClassShares& shares, std::size_t classes) {
  check_same_size(name, shares.size(), "the classes", classes);
  double sum = 0;
  for (const double share : shares) {
    check_in_closed(name, share, 0, 1);
    sum += share;
  }
  if (std::abs(sum - 1) > 1e-6) {
    throw ArgumentError(std::string(name) + " must sum to 1, not to " + significant(sum, 6));
  }
}

ClassShares label_shares(ArrayView<const std::int64_t> labels, std::size_t classes,
                         SampleCounts counts) {
  ClassShares shares(classes, 0.0);
  double total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    shares[static_cast<std::size_t>(labels[i])] += counts[i];
    total += counts[i];
  }
  for (double& share : shares) share /= total;
  return shares;
}

}  // namespace cubcal
