#include "cubcal/calibration/temperature_curve.h"

#include <algorithm>
#include <cmath>

#include "cubcal/boundary/curve.h"
#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"
#include "cubcal/metrics/bins.h"
#include "cubcal/metrics/sample_facts.h"
#include "cubcal/uncertainty/logit_tile.h"
#include "cubcal/uncertainty/predictive.h"
#include "cubcal/uncertainty/softmax_kernel.h"

namespace cubcal {

namespace {

/// Lanes per tile: as the kernel likes it, narrower where many passes would overflow the cache.
std::size_t curve_tile_width(const McLogits& logits) {
  std::size_t width = tile_width(logits.classes());
  while (width > 8 && logits.passes() * logits.classes() * width > 32768) width /= 2;
  return width;
}

/// All passes of a few samples, kept while the temperatures go by.
class Tile {
 public:
  Tile(const McLogits& logits, std::size_t width)
      : logits_(logits),
        width_(width),
        pass_size_(logits.classes() * width),
        shifted_(logits.passes() * pass_size_),
        exponentials_(shifted_.size()),
        ratios_(shifted_.size()),
        lane_(width),
        sums_(pass_size_) {}

  void load(const std::size_t* samples, std::size_t count) {
    for (std::size_t s = 0; s < logits_.passes(); ++s) {
      if (!load_shifted(logits_, s, samples, count, width_, &shifted_[s * pass_size_])) {
        throw_not_finite(logits_, samples, count);
      }
    }
    scale_ = 0.0;
    step_ = 0.0;
  }

  /// Mean probabilities [K][width] at 1/T = scale.
  const std::vector<double>& mean_probabilities(double scale) {
    move_to(scale);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (std::size_t s = 0; s < logits_.passes(); ++s) {
      accumulate_normalised(&exponentials_[s * pass_size_], logits_.classes(), width_,
                            lane_.data(), sums_.data());
    }
    const double passes = static_cast<double>(logits_.passes());
    for (double& sum : sums_) sum /= passes;
    return sums_;
  }

 private:
  /// exp(d scale) from exp(d scale_): one multiplication when the step is the last one again.
  void move_to(double scale) {
    const double step = scale - scale_;
    const bool stepping = scale_ > 0 && step > 0;
    if (stepping && std::abs(step - step_) <= 1e-13 * scale) {
      advance(ratios_.data(), shifted_.size(), exponentials_.data());
    } else {
      exponentiate(shifted_.data(), scale, shifted_.size(), exponentials_.data());
      if (stepping) exponentiate(shifted_.data(), step, shifted_.size(), ratios_.data());
      step_ = stepping ? step : 0.0;
    }
    scale_ = scale;
  }

  const McLogits& logits_;
  std::size_t width_;
  std::size_t pass_size_;
  std::vector<double> shifted_;
  std::vector<double> exponentials_;
  std::vector<double> ratios_;
  std::vector<double> lane_;
  std::vector<double> sums_;
  double scale_ = 0.0;
  double step_ = 0.0;
};

/// Sums of one block of samples, laid out as in TemperatureCurve.
struct PartialSums {
  std::vector<double> deviation;
  std::vector<double> nll;
};

}  // namespace

TemperatureCurve temperature_curve(const McLogits& logits, ArrayView<const std::size_t> samples,
                                   ArrayView<const std::int64_t> labels,
                                   const std::vector<double>& temperatures,
                                   const CurveOptions& options) {
  for (const double temperature : temperatures) check_positive("temperature", temperature);
  const std::size_t classes = logits.classes();
  const std::size_t width = curve_tile_width(logits);
  const std::size_t points = temperatures.size();
  // Blocks are few enough for their partial sums to stay small, and independent of the threads.
  const std::size_t block = width * std::max<std::size_t>(4, samples.size() / (width * 256) + 1);
  std::vector<PartialSums> partials(samples.size() / block + 1);

  parallel_blocks(samples.size(), block, [&](std::size_t first, std::size_t last) {
    PartialSums& partial = partials[first / block];
    partial.deviation.assign(points * options.bins, 0.0);
    partial.nll.assign(points, 0.0);
    Tile tile(logits, width);
    for (std::size_t begin = first; begin < last; begin += width) {
      const std::size_t count = std::min(width, last - begin);
      const std::size_t* members = samples.data() + begin;
      tile.load(members, count);
      for (std::size_t point = 0; point < points; ++point) {
        const std::vector<double>& p = tile.mean_probabilities(1.0 / temperatures[point]);
        double* deviation = &partial.deviation[point * options.bins];
        for (std::size_t i = 0; i < count; ++i) {
          const Summary summary = summarise(&p[i], classes, width);
          deviation[bin_index(summary.confidence, options.bins)] +=
              summary.entropy - u_ideal(summary.confidence, classes, options.gamma);
          if (labels.empty()) continue;
          partial.nll[point] +=
              floored_nll(p[static_cast<std::size_t>(labels[members[i]]) * width + i]);
        }
      }
    }
  });

  TemperatureCurve curve;
  curve.bins = options.bins;
  curve.temperatures = temperatures;
  curve.deviation.assign(points * options.bins, 0.0);
  if (!labels.empty()) curve.nll.assign(points, 0.0);
  for (const PartialSums& partial : partials) {
    for (std::size_t j = 0; j < partial.deviation.size(); ++j) {
      curve.deviation[j] += partial.deviation[j];
    }
    if (labels.empty()) continue;
    for (std::size_t j = 0; j < partial.nll.size(); ++j) curve.nll[j] += partial.nll[j];
  }
  return curve;
}

}  // namespace cubcal
