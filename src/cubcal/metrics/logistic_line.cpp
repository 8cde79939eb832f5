#include "cubcal/metrics/logistic_line.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cubcal/core/vector_exp.h"
#include "cubcal/uncertainty/softmax_kernel.h"
#include "cubcal/uncertainty/vector_clones.h"

namespace cubcal {

namespace {

constexpr std::size_t kBlock = 256;

/// eta[i] = a + b x and small[i] = exp(-|eta|) of a block. Loops of one kind of work each become
/// vector instructions.
void block_exponentials(const LogisticLine& line, const double* x, std::size_t count,
                        std::array<double, kBlock>& eta, std::array<double, kBlock>& small) {
  std::array<double, kBlock> exponents;
  for (std::size_t i = 0; i < count; ++i) {
    eta[i] = line.intercept + line.slope * x[i];
    exponents[i] = -std::abs(eta[i]);
  }
  exponentiate(exponents.data(), 1.0, count, small.data());
}

/// residual[i] = n (y - p) and weight[i] = n p (1 - p) of a block.
CUBCAL_VECTOR_CLONES void block_terms(const double* __restrict eta, const double* __restrict small,
                                      const double* __restrict y, const double* __restrict n,
                                      std::size_t count, double* __restrict residual,
                                      double* __restrict weight) {
  for (std::size_t i = 0; i < count; ++i) {
    const double rare = small[i] / (1 + small[i]);  // the smaller of p and 1 - p
    const double p = eta[i] < 0 ? rare : 1 - rare;
    residual[i] = n[i] * (y[i] - p);
    weight[i] = n[i] * rare * (1 - rare);
  }
}

/// Where the slope is held, its derivatives stay 0.
void add_block(const double* x, const double* residual, const double* weight, std::size_t count,
               Slope slope, LineSlopes& sums) {
  for (std::size_t i = 0; i < count; ++i) {
    sums.g0 += residual[i];
    sums.h00 += weight[i];
  }
  if (slope == Slope::kHeld) return;
  for (std::size_t i = 0; i < count; ++i) {
    sums.g1 += residual[i] * x[i];
    sums.h01 += weight[i] * x[i];
    sums.h11 += weight[i] * x[i] * x[i];
  }
}

LineSlopes slopes_at(const LogisticLine& line, const CountedPoints& points, Slope slope) {
  LineSlopes sums;
  std::array<double, kBlock> eta, small, residual, weight;
  for (std::size_t first = 0; first < points.x.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, points.x.size() - first);
    block_exponentials(line, &points.x[first], count, eta, small);
    block_terms(eta.data(), small.data(), &points.y[first], &points.n[first], count,
                residual.data(), weight.data());
    add_block(&points.x[first], residual.data(), weight.data(), count, slope, sums);
  }
  return sums;
}

/// Whether there is a line of maximum likelihood: both values of y, and where the slope is free
/// each with an x beyond one of the other's.
bool has_maximum(const CountedPoints& points, Slope slope) {
  double low[2] = {0, 0};
  double high[2] = {0, 0};
  bool seen[2] = {false, false};
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const double x = points.x[i];
    const int side = points.y[i] != 0 ? 1 : 0;
    low[side] = seen[side] ? std::min(low[side], x) : x;
    high[side] = seen[side] ? std::max(high[side], x) : x;
    seen[side] = true;
    if (!seen[0] || !seen[1]) continue;
    if (slope == Slope::kHeld || (low[0] < high[1] && low[1] < high[0])) return true;
  }
  return false;
}

}  // namespace

CountedPoints counted_points(const std::vector<double>& x, const std::vector<std::uint8_t>& y,
                             SampleCounts counts) {
  CountedPoints points;
  for (std::vector<double>* each : {&points.x, &points.y, &points.n}) each->resize(x.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    // Written over by the next where it does not count: which ones do is not to be guessed.
    points.x[size] = x[i];
    points.y[size] = y[i];
    points.n[size] = counts[i];
    size += counts[i] > 0 ? 1 : 0;
  }
  for (std::vector<double>* each : {&points.x, &points.y, &points.n}) each->resize(size);
  return points;
}

LineStart line_start(const LogisticLine& line, const std::vector<double>& x,
                     const std::vector<std::uint8_t>& y) {
  LineStart start{line, {}, {}};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double eta = line.intercept + line.slope * x[i];
    const double small = exp_nonpositive(-std::abs(eta));
    const double rare = small / (1 + small);
    start.residual.push_back(y[i] - (eta < 0 ? rare : 1 - rare));
    start.rare.push_back(rare);
  }
  return start;
}

LineSlopes slopes_at_start(const LineStart& start, const std::vector<double>& x,
                           SampleCounts counts, Slope slope) {
  LineSlopes sums;
  std::array<double, kBlock> residual, weight;
  for (std::size_t first = 0; first < x.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, x.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const double n = counts[first + i];
      const double rare = start.rare[first + i];
      residual[i] = n * start.residual[first + i];
      weight[i] = n * rare * (1 - rare);
    }
    add_block(&x[first], residual.data(), weight.data(), count, slope, sums);
  }
  return sums;
}

std::optional<LogisticLine> fit_logistic_line(const CountedPoints& points, Slope slope,
                                              const LogisticLine& start,
                                              const LineSlopes* at_start) {
  constexpr int kMostSteps = 200;
  constexpr double kSettled = 1e-7;  // the error left is about the square of the last step
  if (!has_maximum(points, slope)) return std::nullopt;
  LogisticLine line = start;
  LineSlopes at = at_start != nullptr ? *at_start : slopes_at(line, points, slope);
  for (int step = 0; step < kMostSteps; ++step) {
    double a = at.g0 / at.h00;
    double b = 0;
    if (slope == Slope::kFree) {
      const double determinant = at.h00 * at.h11 - at.h01 * at.h01;
      a = (at.h11 * at.g0 - at.h01 * at.g1) / determinant;
      b = (at.h00 * at.g1 - at.h01 * at.g0) / determinant;
    }
    if (!std::isfinite(a) || !std::isfinite(b)) return std::nullopt;
    if (std::abs(a) + std::abs(b) < kSettled) {
      return LogisticLine{line.intercept + a, line.slope + b};
    }
    // A step that goes far beyond the highest point of its line is halved until it does not.
    const double rise = at.g0 * a + at.g1 * b;
    for (double part = 1;; part /= 2) {
      const LogisticLine next{line.intercept + part * a, line.slope + part * b};
      const LineSlopes there = slopes_at(next, points, slope);
      if (there.g0 * a + there.g1 * b < -0.5 * rise && part > 1e-6) continue;
      line = next;
      at = there;
      break;
    }
  }
  return std::nullopt;
}

}  // namespace cubcal
