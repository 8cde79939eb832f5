#pragma once

#include "cubcal_nn/bayes/parameter_store.h"

namespace cubcal {

/// How wide the Gaussian weights of a network are.
struct SigmaStatistics {
  double mean = 0;
  double smallest = 0;
  double largest = 0;
  /// sqrt(sum sigma^2 / sum mu^2): 0 is a deterministic network, far above 1 is mostly noise.
  double noise_to_signal = 0;
};

/// All zeros for a network without Gaussian weights.
SigmaStatistics sigma_statistics(const ParameterStore& store);

}  // namespace cubcal
