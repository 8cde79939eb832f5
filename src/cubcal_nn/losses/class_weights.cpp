#include "cubcal_nn/losses/class_weights.h"

#include <cmath>
#include <string>

#include "cubcal/core/check.h"

namespace cubcal {

std::vector<double> class_weights(const std::vector<std::int64_t>& counts, double power) {
  check_finite("the power of class weights", power);
  check_classes(counts.size());
  std::vector<double> weights;
  double samples = 0;
  double weighted = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] <= 0) {
      throw DataError("class " + std::to_string(k) +
                      " has no training sample, so it cannot be given a class weight");
    }
    const auto count = static_cast<double>(counts[k]);
    weights.push_back(std::pow(count, -power));
    samples += count;
    weighted += count * weights.back();
  }
  for (double& weight : weights) weight *= samples / weighted;
  return weights;
}

std::vector<double> balanced_class_weights(const std::vector<std::int64_t>& counts) {
  return class_weights(counts, 1.0);
}

}  // namespace cubcal
