#include "cubcal/metrics/calibration_error.h"

#include <cmath>

namespace cubcal {

namespace {

template <class Observed>
CalibrationError binned_error(const SampleFacts& facts, SampleWeights weights,
                              const std::vector<std::uint32_t>& bin_of, Observed observed,
                              const std::vector<double>& target) {
  const std::size_t bins = facts.options.bins;
  CalibrationError error{0.0, std::vector<ReliabilityBin>(bins)};
  double total = 0.0;
  for (std::size_t m = 0; m < bins; ++m) {
    const double width = static_cast<double>(bins);
    error.bins[m] = {static_cast<double>(m) / width, static_cast<double>(m + 1) / width, 0, 0, 0};
  }
  for (std::size_t i = 0; i < facts.samples; ++i) {
    const double weight = weights[i];
    ReliabilityBin& bin = error.bins[bin_of[i]];
    bin.count += weight;
    bin.mean_observed += weight * observed(i);
    bin.mean_target += weight * target[i];
    total += weight;
  }
  for (ReliabilityBin& bin : error.bins) {
    if (bin.count == 0) continue;
    error.value += std::abs(bin.mean_observed - bin.mean_target) / total;
    bin.mean_observed /= bin.count;
    bin.mean_target /= bin.count;
  }
  return error;
}

}  // namespace

CalibrationError expected_calibration_error(const SampleFacts& facts, SampleWeights weights) {
  return binned_error(
      facts, weights, facts.confidence_bin,
      [&](std::size_t i) { return static_cast<double>(facts.correct[i]); }, facts.confidence);
}

CalibrationError uncertainty_calibration_error(const SampleFacts& facts, SampleWeights weights) {
  return binned_error(
      facts, weights, facts.uncertainty_bin, [&](std::size_t i) { return 1.0 - facts.correct[i]; },
      facts.normalised_entropy);
}

CalibrationError boundary_curve_calibration_error(const SampleFacts& facts, SampleWeights weights) {
  return binned_error(
      facts, weights, facts.confidence_bin, [&](std::size_t i) { return facts.entropy[i]; },
      facts.ideal);
}

}  // namespace cubcal
