#pragma once

#include <optional>

#include "cubcal_nn/kernels/compute_backend.h"
#include "cubcal_nn/kernels/precision.h"

namespace cubcal {

struct ComputeSettings {
  int threads = 0;                                     ///< of LibTorch; 0: as they are
  std::optional<ConvolutionBackend> convolution = {};  ///< of the CPU; unset: as it is
  std::optional<Precision> precision = {};             ///< resolved; unset: as it is
  std::optional<bool> search_algorithms = {};          ///< cuDNN's, by trial; unset: as it is
};

/// What a network on `device` computes under.
ComputeSettings compute_settings(Precision precision, c10::Device device);

/// Sets what LibTorch keeps per process (of the precision: whether products may be rounded to
/// TF32), and at its end gives back what was there. Autograd's threads see it too.
class ComputeScope {
 public:
  explicit ComputeScope(const ComputeSettings& settings);
  ComputeScope(const ComputeScope&) = delete;
  ComputeScope& operator=(const ComputeScope&) = delete;
  ~ComputeScope();

 private:
  ComputeSettings settings_;
  int threads_;
  ConvolutionBackend convolution_;
  bool tf32_cudnn_, tf32_cublas_;
  bool search_algorithms_;
};

}  // namespace cubcal
