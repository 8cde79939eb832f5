#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace cubcal {

/// Random Fourier features (Rahimi and Recht 2007) of the Gaussian kernel exp(-gamma |x - y|^2):
///   psi(x) = sqrt(2 / M) cos(W x + b),  W ~ N(0, 2 gamma I),  b ~ U[0, 2 pi).
/// W [M, D] row after row and then b come from the stream (seed, 0): they need not be saved.
class FourierFeatures {
 public:
  FourierFeatures() = default;
  FourierFeatures(std::int64_t dimension, std::int64_t features, double gamma, std::uint64_t seed,
                  c10::Device device);

  bool ready() const { return weights_.defined(); }
  at::Tensor operator()(const at::Tensor& rows) const;  ///< [B, D] -> [B, M]

 private:
  at::Tensor weights_;  ///< [D, M]
  at::Tensor phases_;   ///< [M]
};

}  // namespace cubcal
