#include "cubcal/conformal/set_summary.h"

#include "cubcal/core/tolerances.h"
#include "cubcal/metrics/binomial.h"
#include "cubcal/metrics/ratio.h"

namespace cubcal {

std::optional<double> SetSummary::mean_size() const {
  double sum = 0;
  for (std::size_t size = 0; size < by_size.size(); ++size) {
    sum += static_cast<double>(size * by_size[size]);
  }
  return ratio(sum, static_cast<double>(samples));
}

SetSummary summarise_sets(const std::string& name, ArrayView<const std::uint8_t> sets,
                          std::size_t classes, ArrayView<const std::int64_t> labels,
                          const std::vector<std::size_t>& members, double level) {
  SetSummary summary;
  summary.name = name;
  summary.samples = members.size();
  summary.by_size.assign(classes + 1, 0);
  std::size_t covered = 0;
  std::size_t single_right = 0;
  for (const std::size_t i : members) {
    std::size_t size = 0;
    for (std::size_t k = 0; k < classes; ++k) size += sets[i * classes + k];
    ++summary.by_size[size];
    if (labels.empty()) continue;
    const bool holds = sets[i * classes + static_cast<std::size_t>(labels[i])] != 0;
    if (holds) ++covered;
    if (holds && size == 1) ++single_right;
  }
  if (labels.empty()) return summary;
  summary.covered = counted_share(covered, summary.samples, level);
  summary.single_right = counted_share(single_right, summary.by_size[1], level);
  return summary;
}

CoverageForecast::CoverageForecast(std::size_t calibration_samples, double alpha,
                                   std::size_t samples)
    : rank_(conformal_rank(calibration_samples, alpha)),
      calibration_samples_(calibration_samples),
      samples_(samples) {}

double CoverageForecast::at_most(std::size_t covered) const {
  if (rank_ > calibration_samples_) return covered >= samples_ ? 1 : 0;
  return beta_binomial_cdf(covered, samples_, static_cast<double>(rank_),
                           static_cast<double>(calibration_samples_ + 1 - rank_));
}

std::size_t CoverageForecast::first_above(double probability) const {
  std::size_t low = 0;
  std::size_t high = samples_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (at_most(middle) > probability) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::size_t CoverageForecast::low(double level) const { return first_above(0.5 - 0.5 * level); }

std::size_t CoverageForecast::high(double level) const {
  return first_above(0.5 + 0.5 * level - kSumRounding);
}

}  // namespace cubcal
