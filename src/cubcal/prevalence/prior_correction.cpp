#include "cubcal/prevalence/prior_correction.h"

#include <algorithm>

#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"
#include "cubcal/uncertainty/probabilities.h"

namespace cubcal {

namespace {

/// p_k ratio_k, floored; returns their sum.
double weigh(const double* probabilities, const std::vector<double>& ratios, double floor,
             double* corrected) {
  double sum = 0;
  for (std::size_t k = 0; k < ratios.size(); ++k) {
    corrected[k] = std::max(probabilities[k], floor) * ratios[k];
    sum += corrected[k];
  }
  return sum;
}

}  // namespace

Predictive correct_priors(const Predictive& predictive, const ClassShares& from,
                          const ClassShares& to) {
  const std::size_t classes = predictive.classes;
  check_shares("the old prevalence", from, classes);
  check_shares("the new prevalence", to, classes);
  std::vector<double> ratios;
  for (std::size_t k = 0; k < classes; ++k) {
    if (to[k] > 0) check_positive("the old prevalence of each class", from[k]);
    ratios.push_back(to[k] > 0 ? to[k] / from[k] : 0);
  }
  Predictive corrected = predictive;
  constexpr std::size_t block = 4096;
  parallel_blocks(predictive.samples, block, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const double* old_row = &predictive.probabilities[i * classes];
      double* row = &corrected.probabilities[i * classes];
      double sum = weigh(old_row, ratios, 0, row);
      if (sum <= 0) sum = weigh(old_row, ratios, kProbabilityFloor, row);
      for (std::size_t k = 0; k < classes; ++k) row[k] /= sum;
      const Summary summary = summarise(row, classes);
      corrected.predicted[i] = summary.predicted;
      corrected.confidence[i] = summary.confidence;
      corrected.entropy[i] = summary.entropy;
      corrected.aleatoric[i] = summary.entropy;
    }
  });
  return corrected;
}

}  // namespace cubcal
