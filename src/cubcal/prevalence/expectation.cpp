#include "cubcal/prevalence/expectation.h"

#include <algorithm>
#include <limits>

#include "cubcal/core/check.h"

namespace cubcal {

EmEstimate em_prevalence(const Predictive& samples, const ClassShares& from,
                         const ClassShares& start, const EmOptions& options, SampleCounts counts) {
  const std::size_t classes = samples.classes;
  check_shares("the old prevalence", from, classes);
  check_shares("the prevalence to start from", start, classes);
  for (const double share : from) check_positive("the old prevalence of each class", share);
  double total = 0;
  for (std::size_t i = 0; i < samples.samples; ++i) total += counts[i];

  EmEstimate estimate{start, 0, false};
  ClassShares& q = estimate.prevalence;
  std::vector<double> ratios(classes);
  std::vector<double> sums(classes);
  while (estimate.steps < options.most_steps) {
    for (std::size_t k = 0; k < classes; ++k) ratios[k] = q[k] / from[k];
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::size_t i = 0; i < samples.samples; ++i) {
      const double count = counts[i];
      if (count == 0) continue;
      const double* p = &samples.probabilities[i * classes];
      double likelihood = 0;
      for (std::size_t k = 0; k < classes; ++k) likelihood += ratios[k] * p[k];
      const double weight = count / std::max(likelihood, std::numeric_limits<double>::min());
      for (std::size_t k = 0; k < classes; ++k) sums[k] += weight * p[k];
    }
    double highest = 0;
    double all = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      const double gradient = sums[k] / (from[k] * total);
      highest = std::max(highest, gradient);
      q[k] *= gradient;
      all += q[k];
    }
    for (double& share : q) share /= all;  // 1 but for rounding
    ++estimate.steps;
    estimate.converged = highest - 1 <= options.tolerance;
    if (estimate.converged) break;
  }
  return estimate;
}

}  // namespace cubcal
