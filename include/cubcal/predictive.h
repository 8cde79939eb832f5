#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cubcal {

/// What S stochastic passes say of each of N samples, in nats.
struct Predictive {
  std::size_t samples = 0;
  std::size_t classes = 0;
  std::vector<double> probabilities;  ///< [N, K]: mean softmax over the passes (Eq. mc_estimator)
  std::vector<std::int32_t>
      predicted;                   ///< [N]: class of the largest one, the lowest index of equals
  std::vector<double> confidence;  ///< [N]: c = max_k of them
  std::vector<double> entropy;     ///< [N]: U = H(mean), total uncertainty; in [0, ln K]
  std::vector<double> aleatoric;   ///< [N]: mean over passes of H(p_s)

  /// Mutual information between prediction and weights: U - aleatoric, floored at 0.
  double epistemic(std::size_t sample) const;
};

}  // namespace cubcal
