#include "cubcal/metrics/class_calibration.h"

#include <algorithm>
#include <cmath>

#include "cubcal/metrics/bins.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/metrics/logistic_line.h"

namespace cubcal {

namespace {

double logit_of(double p) {
  constexpr double kNearest = 1e-12;
  const double inside = std::clamp(p, kNearest, 1 - kNearest);
  return std::log(inside / (1 - inside));
}

}  // namespace

void add_bin(ClassCalibration& calibration, double weight, double predicted, double observed,
             double share) {
  const double gap = predicted - observed;
  const double apart = observed - share;
  calibration.ece += weight * std::abs(gap);
  calibration.reliability += weight * gap * gap;
  calibration.resolution += weight * apart * apart;
}

std::vector<std::uint32_t> bin_ends(const RankedScores& ranked, std::size_t bins) {
  std::vector<std::uint32_t> ends;
  for (std::size_t r = 0; r < ranked.size(); ++r) {
    const bool ends_here = r + 1 == ranked.size() || bin_index(ranked.scores[r + 1], bins) !=
                                                         bin_index(ranked.scores[r], bins);
    if (ends_here) ends.push_back(static_cast<std::uint32_t>(r + 1));
  }
  return ends;
}

ClassCalibration class_calibration(const RankedScores& ranked, const RankedCounts& counts,
                                   const std::vector<std::uint32_t>& bin_ends) {
  std::uint64_t all = 0;
  std::uint64_t positives = 0;
  for (std::size_t r = 0; r < ranked.size(); ++r) {
    all += counts[r];
    positives += ranked.positive[r] != 0 ? counts[r] : 0U;
  }
  const auto total = static_cast<double>(all);
  const double share = static_cast<double>(positives) / total;
  ClassCalibration result;
  result.uncertainty = share * (1 - share);
  std::size_t r = 0;
  for (const std::uint32_t end : bin_ends) {
    std::uint64_t inside = 0;
    std::uint64_t inside_positives = 0;
    double predicted = 0;
    for (; r < end; ++r) {
      inside += counts[r];
      inside_positives += ranked.positive[r] != 0 ? counts[r] : 0U;
      predicted += counts[r] * ranked.scores[r];
    }
    if (inside == 0) continue;
    const auto count = static_cast<double>(inside);
    add_bin(result, count / total, predicted / count, static_cast<double>(inside_positives) / count,
            share);
  }
  return result;
}

double adaptive_calibration_error(const SampleFacts& facts,
                                  const std::vector<std::uint32_t>& by_confidence,
                                  SampleCounts counts) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < facts.samples; ++i) total += counts[i];
  const std::uint64_t bins = facts.options.bins;
  double error = 0;
  double gap = 0;
  std::uint64_t rank = 0;
  std::uint64_t bin = 0;
  for (const std::uint32_t i : by_confidence) {
    for (std::uint32_t copy = 0; copy < counts[i]; ++copy, ++rank) {
      if (const std::uint64_t own = bins * rank / total; own != bin) {
        error += std::abs(gap);
        gap = 0;
        bin = own;
      }
      gap += facts.confidence[i] - facts.correct[i];
    }
  }
  return (error + std::abs(gap)) / static_cast<double>(total);
}

double debiased_calibration_error(const SampleFacts& facts, SampleCounts counts) {
  double total = 0;
  double squares = 0;
  for (const ReliabilityBin& bin : expected_calibration_error(facts, counts).bins) {
    total += bin.count;
    if (bin.count < 2) continue;
    const double gap = bin.mean_observed - bin.mean_target;
    const double chance = bin.mean_observed * (1 - bin.mean_observed) / (bin.count - 1);
    squares += bin.count * (gap * gap - chance);
  }
  return std::sqrt(std::max(0.0, squares / total));
}

LineData line_data(const SampleFacts& facts, const Predictive& predictive) {
  const bool two = facts.classes == 2;
  LineData data;
  for (std::size_t i = 0; i < facts.samples; ++i) {
    data.x.push_back(logit_of(two ? predictive.probabilities[2 * i + 1] : facts.confidence[i]));
    data.y.push_back(two ? static_cast<std::uint8_t>(facts.labels[i]) : facts.correct[i]);
  }
  return data;
}

CalibrationLine calibration_line(const LineData& data, SampleCounts counts,
                                 const CalibrationLine& start) {
  CalibrationLine line;
  const LogisticLine sloped{start.intercept.value_or(0), start.slope.value_or(1)};
  const LogisticLine level{start.intercept.value_or(0), 1};
  if (const auto fit = fit_logistic_line(data.x, data.y, counts, Slope::kFree, sloped)) {
    line.slope = fit->slope;
  }
  if (const auto fit = fit_logistic_line(data.x, data.y, counts, Slope::kHeld, level)) {
    line.intercept = fit->intercept;
  }
  return line;
}

}  // namespace cubcal
