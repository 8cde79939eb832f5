#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace cubcal::test {

/// Random probability vectors of several kinds.
class RandomSimplex {
 public:
  explicit RandomSimplex(unsigned seed) : generator_(seed) {}

  std::vector<double> dirichlet(std::size_t classes, double concentration) {
    std::gamma_distribution<double> gamma(concentration, 1.0);
    std::vector<double> p(classes);
    double sum = 0.0;
    while (!(sum > 1e-250)) {  // tiny concentrations underflow now and then
      sum = 0.0;
      for (double& value : p) sum += value = gamma(generator_);
    }
    for (double& value : p) value /= sum;
    return p;
  }

  /// (1 - weight) centre + weight * noise: near a vertex or near the uniform distribution.
  std::vector<double> near_vertex(std::size_t classes, double weight) {
    std::vector<double> p = dirichlet(classes, 1.0);
    for (double& value : p) value *= weight;
    p[generator_() % classes] += 1.0 - weight;
    return p;
  }

  std::vector<double> near_uniform(std::size_t classes, double weight) {
    std::vector<double> p = dirichlet(classes, 1.0);
    for (double& value : p) {
      value = weight * value + (1.0 - weight) / static_cast<double>(classes);
    }
    return p;
  }

  /// A few vectors of each kind.
  std::vector<std::vector<double>> mixed(std::size_t classes) {
    std::vector<std::vector<double>> all;
    for (int repeat = 0; repeat < 8; ++repeat) {
      for (const double concentration : {0.01, 0.1, 0.5, 1.0, 3.0, 30.0}) {
        all.push_back(dirichlet(classes, concentration));
      }
      for (const double weight : {1e-15, 1e-9, 1e-4, 0.05, 0.2}) {
        all.push_back(near_vertex(classes, weight));
        all.push_back(near_uniform(classes, weight));
      }
    }
    return all;
  }

 private:
  std::mt19937_64 generator_;
};

}  // namespace cubcal::test
