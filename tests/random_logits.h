#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cubcal/core/parallel.h"
#include "cubcal/core/seed_stream.h"
#include "cubcal/uncertainty/mc_logits.h"

namespace cubcal::test {

/// What random_logits makes. The defaults give a classifier with sure and unsure samples, right and
/// wrong answers.
struct LogitShape {
  std::size_t passes = 5;
  std::size_t samples = 200;
  std::size_t classes = 3;
  double strength = 4.0;      ///< mean height of the favoured class; each sample has its own
  double noise = 1.0;         ///< spread of the other logits
  double pass_noise = 0.7;    ///< spread between the passes
  double label_noise = 0.15;  ///< share of labels drawn at random
};

struct LogitSet {
  std::size_t passes;
  std::size_t samples;
  std::size_t classes;
  std::vector<double> values;  ///< [S, N, K]
  std::vector<std::int64_t> labels;

  McLogits view() const { return {values.data(), passes, samples, classes}; }
  double& at(std::size_t pass, std::size_t sample, std::size_t label) {
    return values[(pass * samples + sample) * classes + label];
  }
  double at(std::size_t pass, std::size_t sample, std::size_t label) const {
    return values[(pass * samples + sample) * classes + label];
  }
};

inline LogitSet random_logits(const LogitShape& shape, std::uint64_t seed) {
  SeedStream stream(seed, 0);
  LogitSet set{shape.passes, shape.samples, shape.classes, {}, {}};
  set.values.resize(shape.passes * shape.samples * shape.classes);
  const auto classes = static_cast<std::uint32_t>(shape.classes);
  for (std::size_t i = 0; i < shape.samples; ++i) {
    const std::uint32_t favoured = stream.below(classes);
    const double height = 2.0 * shape.strength * stream.uniform();
    for (std::size_t k = 0; k < shape.classes; ++k) {
      const double centre = shape.noise * stream.normal() + (k == favoured ? height : 0.0);
      for (std::size_t s = 0; s < shape.passes; ++s) {
        set.at(s, i, k) = centre + shape.pass_noise * stream.normal();
      }
    }
    const bool scrambled = stream.uniform() < shape.label_noise;
    set.labels.push_back(scrambled ? stream.below(classes) : favoured);
  }
  return set;
}

/// Sets the number of threads for a scope.
class Threads {
 public:
  explicit Threads(std::size_t threads) { set_thread_count(threads); }
  ~Threads() { set_thread_count(0); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
};

}  // namespace cubcal::test
