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

/// All passes of a few samples, kept while the temperatures go by.
class Tile {
 public:
  explicit Tile(const McLogits& logits)
      : logits_(logits),
        pass_size_(logits.classes() * kTileWidth),
        shifted_(logits.passes() * pass_size_),
        exponentials_(shifted_.size()),
        ratios_(shifted_.size()),
        sums_(pass_size_) {}

  void load(const std::size_t* samples, std::size_t count) {
    for (std::size_t s = 0; s < logits_.passes(); ++s) {
      if (!load_shifted(logits_, s, samples, count, &shifted_[s * pass_size_])) {
        throw_not_finite(logits_);
      }
    }
    scale_ = 0.0;
    step_ = 0.0;
  }

  /// Mean probabilities [K][kTileWidth] at 1/T = scale. Where the scale rises, exp(d scale) follows
  /// from the last exponentials by a multiplication with exp(d step), which equal steps share.
  const std::vector<double>& mean_probabilities(double scale) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    const double step = scale - scale_;
    const bool stepping = scale_ > 0 && step > 0;
    if (stepping) {
      if (!(std::abs(step - step_) <= 1e-13 * scale)) {
        exponentiate(shifted_.data(), step, shifted_.size(), ratios_.data());
        step_ = step;
      }
      advance_and_accumulate(ratios_.data(), logits_.passes(), logits_.classes(),
                             exponentials_.data(), sums_.data());
    } else {
      exponentiate(shifted_.data(), scale, shifted_.size(), exponentials_.data());
      step_ = 0.0;
      accumulate_normalised(exponentials_.data(), logits_.passes(), logits_.classes(),
                            sums_.data());
    }
    scale_ = scale;
    const double passes = static_cast<double>(logits_.passes());
    for (double& sum : sums_) sum /= passes;
    return sums_;
  }

 private:
  const McLogits& logits_;
  std::size_t pass_size_;
  std::vector<double> shifted_;
  std::vector<double> exponentials_;
  std::vector<double> ratios_;
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
  constexpr std::size_t width = kTileWidth;
  const std::size_t points = temperatures.size();
  // Blocks are few enough for their partial sums to stay small, and independent of the threads.
  const std::size_t block = width * std::max<std::size_t>(4, samples.size() / (width * 256) + 1);
  std::vector<PartialSums> partials(samples.size() / block + 1);

  parallel_blocks(samples.size(), block, [&](std::size_t first, std::size_t last) {
    PartialSums& partial = partials[first / block];
    partial.deviation.assign(points * options.bins, 0.0);
    partial.nll.assign(points, 0.0);
    Tile tile(logits);
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
