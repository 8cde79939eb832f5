#include "cubcal/uncertainty/predictive.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"
#include "cubcal/uncertainty/logit_tile.h"
#include "cubcal/uncertainty/softmax_kernel.h"

namespace cubcal {

namespace {

// Keeps 1/T, and the lowest shifted logit times it, from overflowing for the smallest temperatures.
constexpr double largest_scale(double) { return 1e100; }
constexpr double largest_scale(float) { return 1e18; }

/// Tiles that go through a pass together, so that its memory is read in long stretches.
constexpr std::size_t kBlockTiles = 16;
constexpr std::size_t kBlockSamples = kBlockTiles * kTileWidth;

/// What a block of samples gathers over the passes, tile after tile.
struct BlockSums {
  explicit BlockSums(std::size_t classes) : probabilities(classes * kBlockSamples) {}

  /// Takes the logarithm of the products so far.
  void fold_logarithm() {
    for (std::size_t i = 0; i < kBlockSamples; ++i) {
      log_sum[i] += std::log1p(tail_product[i]);
      tail_product[i] = 0.0;
    }
  }

  std::vector<double> probabilities;  // [tiles][K][kTileWidth]
  std::array<double, kBlockSamples> tail_product{};
  std::array<double, kBlockSamples> weighted_shift{};
  std::array<double, kBlockSamples> log_sum{};
};

/// The product of the softmax denominators is at most K per pass: its logarithm is taken before it
/// can overflow, which for few classes and passes means once.
std::size_t passes_per_logarithm(std::size_t classes) {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(700.0 / std::log(static_cast<double>(classes))));
}

/// Fills the samples first .. last - 1 of the result, with exponentials of type Real.
template <class Real>
void predict_block(const McLogits& logits, ArrayView<const double> temperatures, std::size_t first,
                   std::size_t last, Predictive& result) {
  const std::size_t classes = logits.classes();
  const std::size_t count = last - first;
  std::array<std::size_t, kBlockSamples> samples;
  std::iota(samples.begin(), samples.end(), first);
  std::array<Real, kBlockSamples> inverse_temperature;
  inverse_temperature.fill(Real{1});
  for (std::size_t i = 0; i < count && !temperatures.empty(); ++i) {
    const double temperature = temperatures[temperatures.size() == 1 ? 0 : first + i];
    inverse_temperature[i] = static_cast<Real>(std::min(largest_scale(Real{}), 1.0 / temperature));
  }
  std::vector<Real> shifted(classes * kTileWidth);
  std::vector<Real> scratch(classes * kTileWidth);
  BlockSums sums(classes);
  const std::size_t fold_every = passes_per_logarithm(classes);
  for (std::size_t s = 0; s < logits.passes(); ++s) {
    for (std::size_t i = 0; i < count; i += kTileWidth) {
      const std::size_t lanes = std::min(kTileWidth, count - i);
      if (!load_shifted(logits, s, &samples[i], lanes, shifted.data())) throw_not_finite(logits);
      accumulate_softmax_and_entropy(shifted.data(), &inverse_temperature[i], classes,
                                     scratch.data(), &sums.probabilities[i * classes],
                                     &sums.tail_product[i], &sums.weighted_shift[i]);
    }
    if ((s + 1) % fold_every == 0) sums.fold_logarithm();
  }
  sums.fold_logarithm();

  const double passes = static_cast<double>(logits.passes());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t lane = i % kTileWidth;
    const double* tile = &sums.probabilities[(i - lane) * classes];
    double* probabilities = &result.probabilities[(first + i) * classes];
    for (std::size_t k = 0; k < classes; ++k) {
      probabilities[k] = tile[k * kTileWidth + lane] / passes;
    }
    const Summary summary = summarise(probabilities, classes);
    result.predicted[first + i] = summary.predicted;
    result.confidence[first + i] = summary.confidence;
    result.entropy[first + i] = summary.entropy;
    // A single pass has nothing to disagree with; rounding must not make it so.
    result.aleatoric[first + i] =
        logits.passes() == 1 ? summary.entropy
                             : std::max(0.0, (sums.log_sum[i] - sums.weighted_shift[i]) / passes);
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
  // The largest of K probabilities lies in [1/K, 1], which sums over many passes may round it out
  // of.
  return {std::clamp(confidence, 1.0 / static_cast<double>(classes), 1.0),
          std::clamp(entropy, 0.0, ceiling), static_cast<std::int32_t>(best)};
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

  parallel_blocks(result.samples, kBlockSamples, [&](std::size_t first, std::size_t last) {
    if (logits.dtype() == DType::kF64) {
      predict_block<double>(logits, temperatures, first, last, result);
    } else {
      predict_block<float>(logits, temperatures, first, last, result);
    }
  });
  return result;
}

std::vector<double> doubts(const std::vector<double>& confidence) {
  std::vector<double> scores;
  for (const double each : confidence) scores.push_back(1 - each);
  return scores;
}

std::vector<double> epistemic_parts(const Predictive& predictive) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < predictive.samples; ++i) scores.push_back(predictive.epistemic(i));
  return scores;
}

}  // namespace cubcal
