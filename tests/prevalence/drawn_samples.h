#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "cubcal/core/seed_stream.h"
#include "cubcal/prevalence/shares.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal::test {

/// Samples of three classes with a known prevalence, and the exact probabilities of a model that
/// was made for another: evidence x = y + noise on a line for class y = 0, 1, 2, so that
/// p(k | x) is in proportion to from_k exp(-(x - k)^2 / 2 s^2).
struct DrawnSamples {
  Predictive predictive;
  std::vector<std::int64_t> labels;
};

inline DrawnSamples drawn_samples(std::size_t count, const ClassShares& prevalence,
                                  const ClassShares& from, std::uint64_t seed) {
  constexpr double noise = 0.5;
  DrawnSamples drawn;
  SeedStream stream(seed, 0);
  drawn.predictive.samples = count;
  drawn.predictive.classes = 3;
  for (std::size_t i = 0; i < count; ++i) {
    const double draw = stream.uniform();
    const std::size_t label = draw < prevalence[0]                   ? 0
                              : draw < prevalence[0] + prevalence[1] ? 1
                                                                     : 2;
    const double x = static_cast<double>(label) + noise * stream.normal();
    std::vector<double> row(3);
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double distance = x - static_cast<double>(k);
      row[k] = from[k] * std::exp(-distance * distance / (2 * noise * noise));
      sum += row[k];
    }
    for (double& p : row) p /= sum;
    const Summary summary = summarise(row.data(), row.size());
    drawn.labels.push_back(static_cast<std::int64_t>(label));
    drawn.predictive.probabilities.insert(drawn.predictive.probabilities.end(), row.begin(),
                                          row.end());
    drawn.predictive.predicted.push_back(summary.predicted);
    drawn.predictive.confidence.push_back(summary.confidence);
    drawn.predictive.entropy.push_back(summary.entropy);
    drawn.predictive.aleatoric.push_back(summary.entropy);
  }
  return drawn;
}

}  // namespace cubcal::test
