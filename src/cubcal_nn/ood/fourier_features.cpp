#include "cubcal_nn/ood/fourier_features.h"

#include <ATen/ATen.h>

#include <cmath>

#include "cubcal/core/seed_stream.h"

namespace cubcal {

FourierFeatures::FourierFeatures(std::int64_t dimension, std::int64_t features, double gamma,
                                 std::uint64_t seed, c10::Device device) {
  constexpr double two_pi = 6.283185307179586476925286766559;
  SeedStream stream(seed, 0);
  at::Tensor weights = at::empty({features, dimension}, at::kDouble);
  at::Tensor phases = at::empty({features}, at::kDouble);
  auto* w = weights.data_ptr<double>();
  const double deviation = std::sqrt(2 * gamma);
  for (std::int64_t i = 0; i < weights.numel(); ++i) w[i] = deviation * stream.normal();
  auto* b = phases.data_ptr<double>();
  for (std::int64_t i = 0; i < features; ++i) b[i] = two_pi * stream.uniform();
  weights_ = weights.t().to(device);
  phases_ = phases.to(device);
}

at::Tensor FourierFeatures::operator()(const at::Tensor& rows) const {
  const double scale = std::sqrt(2.0 / static_cast<double>(phases_.size(0)));
  return at::addmm(phases_, rows, weights_).cos() * scale;
}

}  // namespace cubcal
