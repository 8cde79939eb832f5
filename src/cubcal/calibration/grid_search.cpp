#include "cubcal/calibration/grid_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cubcal/core/tolerances.h"

namespace cubcal {

namespace {

double distance_from_one(double temperature) { return std::abs(std::log(temperature)); }

}  // namespace

double best_temperature(const std::vector<double>& temperatures,
                        const std::vector<double>& objective) {
  const double smallest = *std::min_element(objective.begin(), objective.end());
  double best = 0.0;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < temperatures.size(); ++i) {
    if (objective[i] > smallest + kSumRounding || distance_from_one(temperatures[i]) >= nearest)
      continue;
    best = temperatures[i];
    nearest = distance_from_one(best);
  }
  return best;
}

std::vector<double> bcce_along(const TemperatureCurve& curve, std::size_t samples) {
  std::vector<double> bcce(curve.temperatures.size(), 0.0);
  for (std::size_t i = 0; i < bcce.size(); ++i) {
    for (std::size_t m = 0; m < curve.bins; ++m) bcce[i] += std::abs(curve.deviation_at(i)[m]);
    bcce[i] /= static_cast<double>(samples);
  }
  return bcce;
}

std::optional<TemperaturePair> best_pair(const TemperatureCurve& high, const TemperatureCurve& low,
                                         std::size_t samples, std::optional<double> largest_nll) {
  const std::size_t rows = high.temperatures.size();
  const std::size_t columns = low.temperatures.size();
  constexpr double excluded = std::numeric_limits<double>::infinity();
  std::vector<double> bcce(rows * columns, excluded);
  double smallest = excluded;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (largest_nll && high.nll[i] + low.nll[j] > *largest_nll) continue;
      double sum = 0.0;
      for (std::size_t m = 0; m < high.bins; ++m) {
        sum += std::abs(high.deviation_at(i)[m] + low.deviation_at(j)[m]);
      }
      bcce[i * columns + j] = sum / static_cast<double>(samples);
      smallest = std::min(smallest, bcce[i * columns + j]);
    }
  }
  std::optional<TemperaturePair> best;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double value = bcce[i * columns + j];
      const double distance =
          distance_from_one(high.temperatures[i]) + distance_from_one(low.temperatures[j]);
      if (value == excluded || value > smallest + kSumRounding || distance >= nearest) continue;
      best = TemperaturePair{high.temperatures[i], low.temperatures[j], value};
      nearest = distance;
    }
  }
  return best;
}

}  // namespace cubcal
