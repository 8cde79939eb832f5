#include "cubcal/plot/density.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cubcal/core/check.h"
#include "cubcal/core/quantile.h"

namespace cubcal::plot {

namespace {

/// Beyond this many bandwidths a kernel contributes nothing a chart could show.
constexpr double kReach = 6.0;

/// The sum of unscaled kernels at x over sorted values.
double kernel_sum(const std::vector<double>& sorted, double x, double bandwidth) {
  const auto from = std::lower_bound(sorted.begin(), sorted.end(), x - kReach * bandwidth);
  double sum = 0;
  for (auto value = from; value != sorted.end() && *value <= x + kReach * bandwidth; ++value) {
    const double distance = (x - *value) / bandwidth;
    sum += std::exp(-0.5 * distance * distance);
  }
  return sum;
}

/// Folding the density at the bounds equals evaluating it at all mirror images of x.
double folded_kernel_sum(const std::vector<double>& sorted, double x, double bandwidth,
                         const DensityOptions& options) {
  double sum = kernel_sum(sorted, x, bandwidth);
  if (options.lower && options.upper) {
    const double period = 2 * (*options.upper - *options.lower);
    const double mirror = 2 * *options.lower - x;
    const int images = 1 + static_cast<int>(std::ceil(kReach * bandwidth / period));
    sum += kernel_sum(sorted, mirror, bandwidth);
    for (int i = 1; i <= images; ++i) {
      for (const double shift : {i * period, -i * period}) {
        sum += kernel_sum(sorted, x + shift, bandwidth);
        sum += kernel_sum(sorted, mirror + shift, bandwidth);
      }
    }
  } else if (options.lower || options.upper) {
    sum += kernel_sum(sorted, 2 * (options.lower ? *options.lower : *options.upper) - x, bandwidth);
  }
  return sum;
}

void check_values(const std::vector<double>& values, const DensityOptions& options) {
  if (values.empty()) throw ArgumentError("a density needs at least one value, not none");
  if (options.points < 2) throw ArgumentError("points of a density must be at least 2");
  const double lowest = options.lower.value_or(-std::numeric_limits<double>::max());
  const double highest = options.upper.value_or(std::numeric_limits<double>::max());
  if (!(lowest < highest)) {
    throw ArgumentError("the bounds of a density must be rising, not " + to_text(lowest) + " and " +
                        to_text(highest));
  }
  for (const double value : values) check_in_closed("a value of a density", value, lowest, highest);
  if (options.bandwidth) check_positive("bandwidth", *options.bandwidth);
}

}  // namespace

double silverman_bandwidth(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double count = static_cast<double>(sorted.size());
  double mean = 0;
  for (const double value : sorted) mean += value / count;
  double variance = 0;
  for (const double value : sorted) variance += (value - mean) * (value - mean) / count;
  const double spread = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.34;
  double scale = std::sqrt(variance * count / std::max(1.0, count - 1));
  if (spread > 0) scale = std::min(scale, spread);
  const double bandwidth = 0.9 * scale * std::pow(count, -0.2);
  return sorted.front() < sorted.back() ? bandwidth : 1e-3 * std::max(1.0, std::abs(mean));
}

Density estimate_density(const std::vector<double>& values, const DensityOptions& options) {
  check_values(values, options);
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  double bandwidth = options.bandwidth.value_or(silverman_bandwidth(sorted));
  if (options.lower && options.upper) {
    // A kernel wider than the interval is flat after folding; wider still changes nothing.
    bandwidth = std::min(bandwidth, *options.upper - *options.lower);
  }
  const double margin = 4 * bandwidth;
  const double low = std::max(sorted.front() - margin,
                              options.lower.value_or(-std::numeric_limits<double>::max()));
  const double high =
      std::min(sorted.back() + margin, options.upper.value_or(std::numeric_limits<double>::max()));
  constexpr double kMostPoints = 4096;
  const double wanted = std::min(kMostPoints, std::ceil(2 * (high - low) / bandwidth));
  const std::size_t points = std::max(options.points, static_cast<std::size_t>(wanted));

  constexpr double kRootTwoPi = 2.5066282746310002;
  const double weight = 1.0 / (kRootTwoPi * bandwidth * static_cast<double>(sorted.size()));
  Density density{{}, {}, bandwidth};
  for (std::size_t i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points - 1);
    const double x = low + share * (high - low);
    density.x.push_back(x);
    density.y.push_back(weight * folded_kernel_sum(sorted, x, bandwidth, options));
  }
  return density;
}

}  // namespace cubcal::plot
