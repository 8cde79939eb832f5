#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

/// P(y = 1) = 1 / (1 + exp(-(intercept + slope x))).
struct LogisticLine {
  double intercept = 0;
  double slope = 1;
};

enum class Slope {
  kFree,
  kHeld  ///< as in the line one starts with
};

/// The points a line is fitted to, without those that do not count.
struct CountedPoints {
  std::vector<double> x;
  std::vector<double> y;  ///< 0 or 1
  std::vector<double> n;  ///< how often each counts
};
CountedPoints counted_points(const std::vector<double>& x, const std::vector<std::uint8_t>& y,
                             SampleCounts counts = {});

/// A line to start from, with what it says of each point: resamples that start there share it.
struct LineStart {
  LogisticLine line;
  std::vector<double> residual;  ///< y - p
  std::vector<double> rare;      ///< the smaller of p and 1 - p
};
LineStart line_start(const LogisticLine& line, const std::vector<double>& x,
                     const std::vector<std::uint8_t>& y);

/// Gradient and negative Hessian of the log-likelihood; those of the slope are 0 where it is held.
struct LineSlopes {
  double g0 = 0, g1 = 0;
  double h00 = 0, h01 = 0, h11 = 0;
};
/// At the start, of a resample.
LineSlopes slopes_at_start(const LineStart& start, const std::vector<double>& x,
                           SampleCounts counts, Slope slope);

/// Of maximum likelihood, by Newton's method from `start`. Nothing where there is none: all y
/// alike, x that parts them without error, or (slope free) all x alike. `at_start` are the slopes
/// at the start, where they are known.
std::optional<LogisticLine> fit_logistic_line(const CountedPoints& points, Slope slope,
                                              const LogisticLine& start = {},
                                              const LineSlopes* at_start = nullptr);

}  // namespace cubcal
