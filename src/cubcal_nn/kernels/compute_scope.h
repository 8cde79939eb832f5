#pragma once

#include <optional>

#include "cubcal_nn/kernels/compute_backend.h"

namespace cubcal {

struct ComputeSettings {
  int threads = 0;                                     ///< of LibTorch; 0: as they are
  std::optional<ConvolutionBackend> convolution = {};  ///< of the CPU; unset: as it is
};

/// Sets what LibTorch keeps per process, and gives back what was there at its end.
class ComputeScope {
 public:
  explicit ComputeScope(const ComputeSettings& settings);
  ComputeScope(const ComputeScope&) = delete;
  ComputeScope& operator=(const ComputeScope&) = delete;
  ~ComputeScope();

 private:
  int threads_;
  ConvolutionBackend convolution_;
};

}  // namespace cubcal
