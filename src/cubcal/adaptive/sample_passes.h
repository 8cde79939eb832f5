#pragma once

#include <cstddef>
#include <vector>

#include "cubcal/core/array_view.h"

namespace cubcal {

/// The softmax of every pass that one sample has seen so far, at one temperature.
class SamplePasses {
 public:
  explicit SamplePasses(std::size_t classes, double temperature = 1.0);

  /// One more pass: K logits, which must be finite.
  void add(ArrayView<const double> logits);

  /// One more pass as K probabilities, which the temperature does not change.
  void add_probabilities(ArrayView<const double> row);

  std::size_t classes() const { return sums_.size(); }
  std::size_t count() const { return probabilities_.size() / classes(); }
  const double* pass(std::size_t index) const { return &probabilities_[index * classes()]; }
  /// Mean softmax of the passes so far.
  std::vector<double> mean() const;

 private:
  double temperature_;
  std::vector<double> probabilities_;  // [s, K]
  std::vector<double> sums_;           // [K]
};

}  // namespace cubcal
