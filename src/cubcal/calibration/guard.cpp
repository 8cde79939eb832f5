#include "cubcal/calibration/guard.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cubcal/calibration/grid_search.h"
#include "cubcal/core/tolerances.h"

namespace cubcal {

namespace {

constexpr std::array<double, 9> kShares = {1.0, 0.7, 0.45, 0.2, 0.0, -0.25, -0.5, -1.0, -2.0};
// One-sided 95% quantiles of Student's t with 1 to 9 degrees of freedom.
constexpr std::array<double, 9> kStudent = {6.314, 2.920, 2.353, 2.132, 2.015,
                                            1.943, 1.895, 1.860, 1.833};

void add(TemperatureCurve& to, const TemperatureCurve& from, double sign) {
  for (std::size_t j = 0; j < from.deviation.size(); ++j) {
    to.deviation[j] += sign * from.deviation[j];
  }
  for (std::size_t j = 0; j < from.nll.size(); ++j) to.nll[j] += sign * from.nll[j];
}

double nll_at(const TemperatureCurve& curve, double temperature) {
  const auto found = std::find(curve.temperatures.begin(), curve.temperatures.end(), temperature);
  return curve.nll[static_cast<std::size_t>(found - curve.temperatures.begin())];
}

}  // namespace

FoldCurves sum_of(const std::vector<FoldCurves>& folds) {
  FoldCurves sum = folds.front();
  for (std::size_t f = 1; f < folds.size(); ++f) {
    add(sum.high, folds[f].high, 1);
    add(sum.low, folds[f].low, 1);
    sum.nll_at_one += folds[f].nll_at_one;
    sum.samples += folds[f].samples;
  }
  return sum;
}

std::optional<double> cross_validated_allowance(const std::vector<FoldCurves>& folds,
                                                double tolerance) {
  const FoldCurves all = sum_of(folds);
  const auto count = static_cast<double>(folds.size());
  const double quantile = kStudent[std::min(folds.size() - 1, kStudent.size()) - 1];
  for (const double share : kShares) {
    std::vector<double> rises;
    for (const FoldCurves& held_out : folds) {
      FoldCurves others = all;
      add(others.high, held_out.high, -1);
      add(others.low, held_out.low, -1);
      const double nll_at_one = all.nll_at_one - held_out.nll_at_one;
      const auto pair = best_pair(others.high, others.low, all.samples - held_out.samples,
                                  nll_at_one * (1 + share * tolerance + kSumRounding));
      if (!pair) break;
      rises.push_back(nll_at(held_out.high, pair->t_high) + nll_at(held_out.low, pair->t_low) -
                      held_out.nll_at_one);
    }
    if (rises.size() < folds.size()) continue;
    double total = 0;
    for (const double rise : rises) total += rise;
    double squares = 0;
    for (const double rise : rises) squares += (rise - total / count) * (rise - total / count);
    const double error = std::sqrt(count * squares / (count - 1));
    const auto fitted_on_all = best_pair(all.high, all.low, all.samples,
                                         all.nll_at_one * (1 + share * tolerance + kSumRounding));
    if (fitted_on_all && total + quantile * error <= (tolerance + kSumRounding) * all.nll_at_one) {
      return share * tolerance;
    }
  }
  return std::nullopt;
}

}  // namespace cubcal
