#include "cubcal/calibration/nll_descent.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cubcal/core/parallel.h"
#include "cubcal/metrics/sample_facts.h"
#include "cubcal/uncertainty/logit_tile.h"
#include "cubcal/uncertainty/probabilities.h"
#include "cubcal/uncertainty/softmax_kernel.h"
#include "cubcal/uncertainty/vector_clones.h"

namespace cubcal {

namespace {

constexpr std::size_t kWidth = kTileWidth;

/// Sums over the passes of a tile.
struct LaneSums {
  double probability[kWidth] = {};
  double slope[kWidth] = {};
  double curvature[kWidth] = {};
};

CUBCAL_VECTOR_CLONES
void add_pass(const double* __restrict shifted, const double* __restrict exponentials,
              const double* __restrict own, const double* __restrict own_exponential,
              std::size_t classes, LaneSums& sums) {
  double total[kWidth] = {};
  double first[kWidth] = {};
  double second[kWidth] = {};
  for (std::size_t k = 0; k < classes; ++k) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      const double e = exponentials[k * kWidth + i];
      const double d = shifted[k * kWidth + i];
      total[i] += e;
      first[i] += e * d;
      second[i] += e * d * d;
    }
  }
  for (std::size_t i = 0; i < kWidth; ++i) {
    const double mean = first[i] / total[i];
    const double variance = second[i] / total[i] - mean * mean;
    const double p = own_exponential[i] / total[i];
    const double away = own[i] - mean;
    sums.probability[i] += p;
    sums.slope[i] += p * away;
    sums.curvature[i] += p * (away * away - variance);
  }
}

}  // namespace

NllSlope nll_slope(const McLogits& logits, ArrayView<const std::int64_t> labels, double beta) {
  const std::size_t classes = logits.classes();
  const std::size_t samples = logits.samples();
  const std::size_t block = kWidth * 64;
  std::vector<NllSlope> partials(samples / block + 1);
  parallel_blocks(samples, block, [&](std::size_t first, std::size_t last) {
    NllSlope& partial = partials[first / block];
    std::vector<double> shifted(classes * kWidth);
    std::vector<double> exponentials(classes * kWidth);
    double own[kWidth] = {};
    double own_exponential[kWidth] = {};
    std::vector<LaneSums> all_sums((last - first - 1) / kWidth + 1);
    // Pass by pass, so that memory is read as it lies.
    for (std::size_t s = 0; s < logits.passes(); ++s) {
      for (std::size_t begin = first; begin < last; begin += kWidth) {
        const std::size_t count = std::min(kWidth, last - begin);
        std::size_t members[kWidth];
        for (std::size_t i = 0; i < count; ++i) members[i] = begin + i;
        if (!load_shifted(logits, s, members, count, shifted.data())) throw_not_finite(logits);
        exponentiate(shifted.data(), beta, shifted.size(), exponentials.data());
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t at = static_cast<std::size_t>(labels[begin + i]) * kWidth + i;
          own[i] = shifted[at];
          own_exponential[i] = exponentials[at];
        }
        add_pass(shifted.data(), exponentials.data(), own, own_exponential, classes,
                 all_sums[(begin - first) / kWidth]);
      }
    }
    for (std::size_t begin = first; begin < last; begin += kWidth) {
      const LaneSums& sums = all_sums[(begin - first) / kWidth];
      for (std::size_t i = 0; i < std::min(kWidth, last - begin); ++i) {
        const double probability = sums.probability[i] / static_cast<double>(logits.passes());
        partial.value += floored_nll(probability);
        if (probability <= kProbabilityFloor) continue;
        const double slope = sums.slope[i] / sums.probability[i];
        partial.first -= slope;
        partial.second += slope * slope - sums.curvature[i] / sums.probability[i];
      }
    }
  });
  NllSlope mean;
  for (const NllSlope& partial : partials) {
    mean.value += partial.value / static_cast<double>(samples);
    mean.first += partial.first / static_cast<double>(samples);
    mean.second += partial.second / static_cast<double>(samples);
  }
  return mean;
}

double descend_nll(const McLogits& logits, ArrayView<const std::int64_t> labels, double start,
                   const TemperatureBox& box) {
  constexpr int kMostSteps = 6;
  constexpr double kSmallStep = 1e-3;  // the error after a step is of the order of its square
  const auto temperature = [&](double inverse) {
    return inverse == 1.0 / start ? start : std::clamp(1.0 / inverse, box.low, box.high);
  };
  double beta = 1.0 / start;
  double best = beta;
  double lowest = 0;
  for (int step = 0; step < kMostSteps; ++step) {
    const NllSlope at = nll_slope(logits, labels, beta);
    if (step > 0 && !(at.value < lowest)) {
      beta = 0.5 * (beta + best);  // too far: half the way back
      continue;
    }
    lowest = at.value;
    best = beta;
    if (!(at.second > 0)) break;
    beta = std::clamp(best - at.first / at.second, 1.0 / box.high, 1.0 / box.low);
    if (std::abs(beta - best) <= kSmallStep * best) return temperature(beta);
  }
  return temperature(best);
}

}  // namespace cubcal
