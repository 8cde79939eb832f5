#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cubcal/metrics/logistic_line.h"
#include "cubcal/metrics/ranked_scores.h"
#include "cubcal/metrics/sample_facts.h"

/// Calibration beyond the plain ECE: class by class, in bins of equal numbers, without its bias,
/// and the parts of the Brier score.
namespace cubcal {

/// One class against the rest, over equal-width bins of p_k.
struct ClassCalibration {
  double ece = 0;  ///< sum |B|/N |mean p_k - share of k|
  /// The parts of the Brier score (Murphy 1973). The score of the class is reliability - resolution
  /// + uncertainty where all p_k of a bin are equal; else it differs by their spread within bins.
  double reliability = 0;  ///< sum |B|/N (mean p_k - share in the bin)^2; 0 is best
  double resolution = 0;   ///< sum |B|/N (share in the bin - share)^2; higher is better
  double uncertainty = 0;  ///< share (1 - share): of the labels alone
};

/// Adds a bin that has a share `weight` of the samples, the mean p_k `predicted` and the share
/// `observed` of class k; `share` is that of all samples.
void add_bin(ClassCalibration& calibration, double weight, double predicted, double observed,
             double share);

/// Where in a ranking of p_k each bin that is not empty ends, from the highest bin down.
std::vector<std::uint32_t> bin_ends(const RankedScores& ranked, std::size_t bins);

/// At least one sample is counted.
ClassCalibration class_calibration(const RankedScores& ranked, const RankedCounts& counts,
                                   const std::vector<std::uint32_t>& bin_ends);

/// ECE in bins of equally many samples: of n samples in the order of their confidence (equals in
/// file order), the one of rank r = 0 ... n-1 is in bin floor(M r / n). `by_confidence` is that
/// order.
double adaptive_calibration_error(const SampleFacts& facts,
                                  const std::vector<std::uint32_t>& by_confidence,
                                  SampleCounts counts = {});

/// Root mean square calibration error of the confidence without the bias that chance gives each
/// bin: sqrt max(0, sum |B|/N ((acc - conf)^2 - acc (1 - acc) / (|B| - 1))). Bins of fewer than two
/// samples contribute nothing (Kumar et al. 2019).
double debiased_calibration_error(const SampleFacts& facts, SampleCounts counts = {});

/// Slope and intercept of the calibration line (Cox 1958), logit P(right) = a + b logit c; for two
/// classes that of P(class 1) on p_1. Logits are taken of values kept 1e-12 from 0 and 1.
struct CalibrationLine {
  std::optional<double> slope;  ///< b; below 1: answers too sure. Undefined as fit_logistic_line
  std::optional<double> intercept;  ///< a where b is held at 1; below 0: too sure on the whole
};

/// What the line is fitted to: the same for every resample.
struct LineData {
  std::vector<double> x;
  std::vector<std::uint8_t> y;
};
/// `predictive` is what the facts were made of.
LineData line_data(const SampleFacts& facts, const Predictive& predictive);

/// Where the searches of many resamples start: at the line of the samples themselves.
struct LineStarts {
  LineStart sloped;
  LineStart level;
};
LineStarts line_starts(const LineData& data);

/// Newton's method starts there where `starts` is given, else at slope 1 and intercept 0.
CalibrationLine calibration_line(const LineData& data, SampleCounts counts = {},
                                 const LineStarts* starts = nullptr);

}  // namespace cubcal
