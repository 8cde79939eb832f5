#include "cubcal/metrics/logistic_line.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cubcal/core/vector_exp.h"
#include "cubcal/uncertainty/vector_clones.h"

namespace cubcal {

namespace {

/// Gradient and negative Hessian of the log-likelihood.
struct Slopes {
  double g0 = 0, g1 = 0;
  double h00 = 0, h01 = 0, h11 = 0;
};

constexpr std::size_t kBlock = 256;

/// residual[i] = n (y - p) and weight[i] = n p (1 - p) of a block.
CUBCAL_VECTOR_CLONES void block_terms(const LogisticLine& line, const double* x,
                                      const std::uint8_t* y, const double* n, std::size_t count,
                                      double* residual, double* weight) {
  for (std::size_t i = 0; i < count; ++i) {
    const double eta = line.intercept + line.slope * x[i];
    const double small = exp_nonpositive(eta < 0 ? eta : -eta);
    const double rare = small / (1 + small);  // the smaller of p and 1 - p
    const double p = eta < 0 ? rare : 1 - rare;
    residual[i] = n[i] * (y[i] - p);
    weight[i] = n[i] * rare * (1 - rare);
  }
}

Slopes slopes_at(const LogisticLine& line, const std::vector<double>& x,
                 const std::vector<std::uint8_t>& y, SampleCounts counts) {
  Slopes sums;
  std::array<double, kBlock> n, residual, weight;
  for (std::size_t first = 0; first < x.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, x.size() - first);
    for (std::size_t i = 0; i < count; ++i) n[i] = counts[first + i];
    block_terms(line, &x[first], &y[first], n.data(), count, residual.data(), weight.data());
    for (std::size_t i = 0; i < count; ++i) {
      const double at = x[first + i];
      sums.g0 += residual[i];
      sums.g1 += residual[i] * at;
      sums.h00 += weight[i];
      sums.h01 += weight[i] * at;
      sums.h11 += weight[i] * at * at;
    }
  }
  return sums;
}

/// Whether there is a line of maximum likelihood: both values of y, and where the slope is free
/// each with an x beyond one of the other's.
bool has_maximum(const std::vector<double>& x, const std::vector<std::uint8_t>& y,
                 SampleCounts counts, Slope slope) {
  double low[2] = {0, 0};
  double high[2] = {0, 0};
  bool seen[2] = {false, false};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (counts[i] == 0) continue;
    const int side = y[i] != 0 ? 1 : 0;
    low[side] = seen[side] ? std::min(low[side], x[i]) : x[i];
    high[side] = seen[side] ? std::max(high[side], x[i]) : x[i];
    seen[side] = true;
    if (!seen[0] || !seen[1]) continue;
    if (slope == Slope::kHeld || (low[0] < high[1] && low[1] < high[0])) return true;
  }
  return false;
}

}  // namespace

std::optional<LogisticLine> fit_logistic_line(const std::vector<double>& x,
                                              const std::vector<std::uint8_t>& y,
                                              SampleCounts counts, Slope slope,
                                              const LogisticLine& start) {
  constexpr int kMostSteps = 200;
  constexpr double kSettled = 1e-7;  // the error left is about the square of the last step
  if (!has_maximum(x, y, counts, slope)) return std::nullopt;
  LogisticLine line = start;
  Slopes at = slopes_at(line, x, y, counts);
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
      const Slopes there = slopes_at(next, x, y, counts);
      if (there.g0 * a + there.g1 * b < -0.5 * rise && part > 1e-6) continue;
      line = next;
      at = there;
      break;
    }
  }
  return std::nullopt;
}

}  // namespace cubcal
