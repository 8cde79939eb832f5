#include "cubcal/metrics/class_calibration.h"

#include <algorithm>
#include <cmath>

#include "cubcal/metrics/bins.h"
#include "cubcal/metrics/calibration_error.h"

namespace cubcal {

namespace {

double logit_of(double p) {
  constexpr double kNearest = 1e-12;
  const double inside = std::clamp(p, kNearest, 1 - kNearest);
  return std::log(inside / (1 - inside));
}

/// confidence - correct of each sample in the order given, as often as it counts.
std::vector<double> repeated_gaps(const SampleFacts& facts, const std::vector<std::uint32_t>& order,
                                  SampleCounts counts) {
  constexpr std::uint32_t kAtOnce = 3;  // few counts are higher
  std::size_t total = 0;
  for (std::size_t i = 0; i < facts.samples; ++i) total += counts[i];
  std::vector<double> gaps(total + kAtOnce);
  std::size_t next = 0;
  for (const std::uint32_t i : order) {
    const double gap = facts.confidence[i] - facts.correct[i];
    const std::uint32_t count = counts[i];
    // Written whether they count or not, and then over again: a branch would be a guess.
    for (std::uint32_t copy = 0; copy < kAtOnce; ++copy) gaps[next + copy] = gap;
    for (std::uint32_t copy = kAtOnce; copy < count; ++copy) gaps[next + copy] = gap;
    next += count;
  }
  gaps.resize(total);
  return gaps;
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
  const std::vector<double> gaps = repeated_gaps(facts, by_confidence, counts);
  const std::size_t total = gaps.size();
  const std::size_t bins = facts.options.bins;
  double error = 0;
  for (std::size_t rank = 0; rank < total;) {
    const std::size_t bin = bins * rank / total;
    const std::size_t end = ((bin + 1) * total + bins - 1) / bins;
    double gap = 0;
    for (; rank < end; ++rank) gap += gaps[rank];
    error += std::abs(gap);
  }
  return error / static_cast<double>(total);
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

LineStarts line_starts(const LineData& data) {
  const CalibrationLine line = calibration_line(data);
  const double intercept = line.intercept.value_or(0);
  return {line_start({intercept, line.slope.value_or(1)}, data.x, data.y),
          line_start({intercept, 1}, data.x, data.y)};
}

CalibrationLine calibration_line(const LineData& data, SampleCounts counts,
                                 const LineStarts* starts) {
  const CountedPoints points = counted_points(data.x, data.y, counts);
  const auto fit = [&](Slope slope, const LineStart* start) {
    if (start == nullptr) return fit_logistic_line(points, slope);
    const LineSlopes at_start = slopes_at_start(*start, data.x, counts, slope);
    return fit_logistic_line(points, slope, start->line, &at_start);
  };
  CalibrationLine line;
  if (const auto free = fit(Slope::kFree, starts == nullptr ? nullptr : &starts->sloped)) {
    line.slope = free->slope;
  }
  if (const auto held = fit(Slope::kHeld, starts == nullptr ? nullptr : &starts->level)) {
    line.intercept = held->intercept;
  }
  return line;
}

}  // namespace cubcal
