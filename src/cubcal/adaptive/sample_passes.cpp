#include "cubcal/adaptive/sample_passes.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/check.h"

namespace cubcal {

SamplePasses::SamplePasses(std::size_t classes, double temperature)
    : temperature_(temperature), sums_(classes, 0.0) {
  check_classes(classes);
  check_positive("temperature", temperature);
}

void SamplePasses::add(ArrayView<const double> logits) {
  check_same_size("the logits of a pass", logits.size(), "the list of classes", classes());
  double largest = logits[0];
  for (const double z : logits) {
    if (!std::isfinite(z)) throw DataError("the logits of a pass must be finite");
    largest = std::max(largest, z);
  }
  const std::size_t first = probabilities_.size();
  double total = 0;
  for (const double z : logits) {
    probabilities_.push_back(std::exp((z - largest) / temperature_));
    total += probabilities_.back();
  }
  for (std::size_t k = 0; k < classes(); ++k) {
    probabilities_[first + k] /= total;
    sums_[k] += probabilities_[first + k];
  }
}

void SamplePasses::add_probabilities(ArrayView<const double> row) {
  check_same_size("the probabilities of a pass", row.size(), "the list of classes", classes());
  for (std::size_t k = 0; k < classes(); ++k) {
    probabilities_.push_back(row[k]);
    sums_[k] += row[k];
  }
}

std::vector<double> SamplePasses::mean() const {
  std::vector<double> mean = sums_;
  for (double& value : mean) value /= static_cast<double>(count());
  return mean;
}

}  // namespace cubcal
