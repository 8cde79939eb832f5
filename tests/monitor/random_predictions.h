#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "cubcal/core/seed_stream.h"
#include "cubcal/monitor/predictions.h"

namespace cubcal::test {

/// Answers of three classes from patients of `images` each, whose images are as one; `shift` makes
/// them less sure. Right as often as confidence says.
inline Predictions random_predictions(std::uint64_t seed, std::size_t patients, std::size_t images,
                                      double shift = 0) {
  Predictions made;
  made.name = "period " + std::to_string(seed);
  for (std::size_t p = 0; p < patients; ++p) {
    SeedStream stream(seed, p);
    const std::uint32_t answer = stream.below(3);
    const double c = 1.0 / 3 + 2.0 / 3 * std::pow(stream.uniform(), 0.3 + shift);
    const double u = -c * std::log(c) - (1 - c) * std::log(std::max(1e-12, (1 - c) / 2));
    for (std::size_t i = 0; i < images; ++i) {
      made.predicted.push_back(answer);
      made.confidence.push_back(c);
      made.uncertainty.push_back(u);
      made.labels.push_back(stream.uniform() < c ? answer : (answer + 1) % 3);
      made.groups.push_back("p" + std::to_string(p));
    }
  }
  return made;
}

}  // namespace cubcal::test
