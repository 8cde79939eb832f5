#include "cubcal/uncertainty/predictive.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"
#include "cubcal/uncertainty/logit_tile.h"
#include "cubcal/uncertainty/softmax_kernel.h"

namespace cubcal {

namespace {

/// Scratch memory of one thread's tile.
struct TileBuffers {
  TileBuffers(std::size_t classes, std::size_t width)
      : samples(width),
        inverse_temperature(width, 1.0),
        shifted(classes * width),
        scratch(classes * width),
        lane(2 * width),
        probability_sums(classes * width),
        tail_product(width),
        weighted_shift(width),
        log_sum(width) {}

  std::vector<std::size_t> samples;
  std::vector<double> inverse_temperature;
  std::vector<double> shifted;
  std::vector<double> scratch;
  std::vector<double> lane;
  std::vector<double> probability_sums;
  std::vector<double> tail_product;
  std::vector<double> weighted_shift;
  std::vector<double> log_sum;
};

/// The product of the softmax denominators is at most K per pass: its logarithm is taken before it
/// can overflow, which for few classes and passes means once.
std::size_t passes_per_logarithm(std::size_t classes) {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(700.0 / std::log(static_cast<double>(classes))));
}

void fold_logarithm(TileBuffers& tile, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    tile.log_sum[i] += std::log1p(tile.tail_product[i]);
  }
  std::fill(tile.tail_product.begin(), tile.tail_product.end(), 0.0);
}

void predict_tile(const McLogits& logits, std::size_t first, std::size_t count, std::size_t width,
                  TileBuffers& tile, Predictive& result) {
  const std::size_t classes = logits.classes();
  std::iota(tile.samples.begin(), tile.samples.begin() + static_cast<std::ptrdiff_t>(count),
            first);
  std::fill(tile.probability_sums.begin(), tile.probability_sums.end(), 0.0);
  std::fill(tile.tail_product.begin(), tile.tail_product.end(), 0.0);
  std::fill(tile.weighted_shift.begin(), tile.weighted_shift.end(), 0.0);
  std::fill(tile.log_sum.begin(), tile.log_sum.end(), 0.0);
  const std::size_t fold_every = passes_per_logarithm(classes);
  for (std::size_t s = 0; s < logits.passes(); ++s) {
    if (!load_shifted(logits, s, tile.samples.data(), count, width, tile.shifted.data())) {
      throw_not_finite(logits, tile.samples.data(), count);
    }
    accumulate_softmax_and_entropy(tile.shifted.data(), tile.inverse_temperature.data(), classes,
                                   width, tile.scratch.data(), tile.lane.data(),
                                   tile.probability_sums.data(),
                                   {tile.tail_product.data(), tile.weighted_shift.data()});
    if ((s + 1) % fold_every == 0) fold_logarithm(tile, count);
  }
  fold_logarithm(tile, count);

  const double passes = static_cast<double>(logits.passes());
  for (std::size_t i = 0; i < count; ++i) {
    double* probabilities = &result.probabilities[(first + i) * classes];
    for (std::size_t k = 0; k < classes; ++k) {
      probabilities[k] = tile.probability_sums[k * width + i] / passes;
    }
    const Summary summary = summarise(probabilities, classes);
    result.predicted[first + i] = summary.predicted;
    result.confidence[first + i] = summary.confidence;
    result.entropy[first + i] = summary.entropy;
    result.aleatoric[first + i] =
        std::max(0.0, (tile.log_sum[i] - tile.weighted_shift[i]) / passes);
  }
}

}  // namespace

double Predictive::epistemic(std::size_t sample) const {
  return std::max(0.0, entropy[sample] - aleatoric[sample]);
}

Summary summarise(const double* probabilities, std::size_t classes, std::size_t stride) {
  std::size_t best = 0;
  for (std::size_t k = 1; k < classes; ++k) {
    if (probabilities[k * stride] > probabilities[best * stride]) best = k;
  }
  double rest = 0.0;
  double entropy = 0.0;
  for (std::size_t k = 0; k < classes; ++k) {
    const double p = probabilities[k * stride];
    if (k == best || p <= 0.0) continue;
    rest += p;
    entropy -= p * std::log(p);
  }
  const double confidence = probabilities[best * stride];
  // Near c = 1 the logarithm of the rounded c would lose what the rest still knows exactly.
  entropy -= confidence * (rest < 0.5 ? std::log1p(-rest) : std::log(confidence));
  const double ceiling = std::log(static_cast<double>(classes));
  return {std::min(confidence, 1.0), std::clamp(entropy, 0.0, ceiling),
          static_cast<std::int32_t>(best)};
}

Predictive predict(const McLogits& logits, ArrayView<const double> temperatures) {
  if (temperatures.size() > 1) {
    check_same_size("temperatures", temperatures.size(), "logits", logits.samples());
  }
  for (const double temperature : temperatures) check_positive("temperature", temperature);

  Predictive result;
  result.samples = logits.samples();
  result.classes = logits.classes();
  result.probabilities.resize(result.samples * result.classes);
  result.predicted.resize(result.samples);
  result.confidence.resize(result.samples);
  result.entropy.resize(result.samples);
  result.aleatoric.resize(result.samples);

  const std::size_t width = tile_width(logits.classes());
  parallel_blocks(result.samples, 16 * width, [&](std::size_t first, std::size_t last) {
    TileBuffers tile(logits.classes(), width);
    for (std::size_t i = first; i < last; i += width) {
      const std::size_t count = std::min(width, last - i);
      if (!temperatures.empty()) {
        for (std::size_t lane = 0; lane < count; ++lane) {
          tile.inverse_temperature[lane] =
              1.0 / temperatures[temperatures.size() == 1 ? 0 : i + lane];
        }
      }
      predict_tile(logits, i, count, width, tile, result);
    }
  });
  return result;
}

}  // namespace cubcal
