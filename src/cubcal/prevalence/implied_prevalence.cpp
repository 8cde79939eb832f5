#include "cubcal/prevalence/implied_prevalence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cubcal/core/check.h"
#include "cubcal/uncertainty/probabilities.h"

namespace cubcal {

ImpliedPrevalence implied_prevalence(const Predictive& predictive,
                                     ArrayView<const std::int64_t> labels, const ClassShares& start,
                                     const ImpliedOptions& options, SampleCounts counts) {
  const std::size_t classes = predictive.classes;
  check_shares("the prevalence to start from", start, classes);
  for (const double share : start) check_positive("the prevalence to start from", share);
  check_labels(labels, predictive.samples, classes);
  const ClassShares shares = label_shares(labels, classes, counts);
  ImpliedPrevalence implied{start, false};
  ClassShares& from = implied.prevalence;
  std::vector<double> ratios(classes);
  std::vector<double> sums(classes);
  for (std::size_t step = 0; step < options.most_steps && !implied.converged; ++step) {
    for (std::size_t k = 0; k < classes; ++k) ratios[k] = shares[k] / from[k];
    std::fill(sums.begin(), sums.end(), 0.0);
    double total = 0;
    for (std::size_t i = 0; i < predictive.samples; ++i) {
      const double count = counts[i];
      if (count == 0) continue;
      total += count;
      const double* p = &predictive.probabilities[i * classes];
      double whole = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        whole += ratios[k] * std::max(p[k], kProbabilityFloor);
      }
      for (std::size_t k = 0; k < classes; ++k) {
        sums[k] += count * std::max(p[k], kProbabilityFloor) / whole;
      }
    }
    double miss = 0;
    double all = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      miss = std::max(miss, std::abs(ratios[k] * sums[k] / total - shares[k]));
      from[k] = sums[k];
      all += sums[k];
    }
    for (double& share : from) share /= all;
    implied.converged = miss <= options.tolerance;
  }
  return implied;
}

ClassShares told_prevalence(const Predictive& predictive, ArrayView<const std::int64_t> labels) {
  constexpr double least_told = 1e-6;  // what is below comes of the floor
  const ClassShares equal(predictive.classes, 1 / static_cast<double>(predictive.classes));
  ImpliedPrevalence implied = implied_prevalence(predictive, labels, equal);
  const double least = *std::min_element(implied.prevalence.begin(), implied.prevalence.end());
  if (!implied.converged || least < least_told) {
    throw DataError(
        "the prevalence that the probabilities are made for cannot be told from the labelled "
        "samples, whose answers are too sure: it must be stated by the option 'from'");
  }
  return std::move(implied.prevalence);
}

}  // namespace cubcal
