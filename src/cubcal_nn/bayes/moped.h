#pragma once

#include "cubcal_nn/bayes/parameter_store.h"

namespace cubcal {

enum class MopedPrior { kZero, kWeights };

/// MOPED (Krishnan et al. 2020): a Gaussian network that starts from a trained deterministic one.
struct MopedOptions {
  double delta = 0.1;                    ///< sigma = delta |w|
  double sigma_floor = 1e-4;             ///< smallest sigma, for weights near 0
  MopedPrior prior = MopedPrior::kZero;  ///< prior mean: 0 or w
};

/// mu = w, sigma = max(delta |w|, floor), by parameter path; point parameters and buffers are
/// copied as they are. Throws DataError that names every path without a partner or of another
/// shape.
void convert_by_moped(const ParameterStore& trained, ParameterStore& bayesian,
                      const MopedOptions& options = {});

}  // namespace cubcal
