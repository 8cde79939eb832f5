#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "cubcal/core/philox.h"
#include "cubcal_nn/kernels/fused_segment.h"
#include "cubcal_nn/kernels/normal_formula.h"

/// What the fused kernels do to one element, shared by the CPU and the CUDA version.
namespace cubcal {

/// Four values of the noise: those of elements 4 block ... 4 block + 3.
CUBCAL_HOST_DEVICE void normal_four(const std::uint32_t* words, std::int64_t block,
                                    float (&values)[4]) {
  const std::array<std::uint32_t, 4> bits =
      philox4x32({static_cast<std::uint32_t>(block), 0, words[2], words[3]}, {words[0], words[1]});
  normal_pair(bits[0], bits[1], values[0], values[1]);
  normal_pair(bits[2], bits[3], values[2], values[3]);
}

/// Where element `local` of a segment stands once its rows are channels last.
struct RowPlace {
  std::int32_t row;
  std::int32_t channel;
  std::int32_t tap;
};
/// `local` below 2^31: GPUs divide long integers slowly.
CUBCAL_HOST_DEVICE RowPlace row_place(const FusedSegment& segment, std::int32_t local) {
  const std::int32_t row = local / segment.row;
  const std::int32_t within = local - row * segment.row;
  const std::int32_t channel = within / segment.area;
  return {row, channel, within - channel * segment.area};
}
/// The place of the next element.
CUBCAL_HOST_DEVICE void advance(const FusedSegment& segment, RowPlace& place) {
  if (++place.tap < segment.area) return;
  place.tap = 0;
  if (++place.channel < segment.row / segment.area) return;
  place.channel = 0;
  ++place.row;
}
CUBCAL_HOST_DEVICE std::int32_t channels_last(const FusedSegment& segment, const RowPlace& place) {
  return place.row * segment.row + place.tap * (segment.row / segment.area) + place.channel;
}

/// d loss / d mu, d loss / d rho and the KL term of one element. With sigma = softplus(rho),
/// sigmoid(rho) = 1 - exp(-sigma).
struct ElementGradient {
  float mu, rho, kl;
};
CUBCAL_HOST_DEVICE ElementGradient element_gradient(float weight_gradient, float noise_gradient,
                                                    float mu, float sigma, float prior_mean,
                                                    float prior_sigma, float kl_weight) {
  const float inverse = 1.0F / prior_sigma;
  const float distance = (mu - prior_mean) * inverse;
  const float ratio = sigma * inverse;
  const float slope = -std::expm1(-sigma);
  ElementGradient gradient;
  gradient.mu = weight_gradient + kl_weight * distance * inverse;
  gradient.rho = slope * (noise_gradient + kl_weight * (ratio * inverse - 1.0F / sigma));
  gradient.kl =
      kl_weight * 0.5F * (ratio * ratio - 1.0F - 2.0F * std::log(ratio) + distance * distance);
  return gradient;
}

/// The step of FlatSgd for one element.
struct SgdFactors {
  float learning_rate, momentum, weight_decay, gradient_factor;
  bool nesterov;
};
CUBCAL_HOST_DEVICE void sgd_element(const SgdFactors& factors, float decay, float gradient,
                                    float& value, float& momentum) {
  const float slope = gradient * factors.gradient_factor + decay * value;
  momentum = factors.momentum * momentum + slope;
  value -=
      factors.learning_rate * (factors.nesterov ? slope + factors.momentum * momentum : momentum);
}

/// One value of a dropout mask: value `index` of the row of `sample`.
CUBCAL_HOST_DEVICE float dropout_value(const std::uint32_t* words, std::uint32_t sample,
                                       std::int64_t index, float rate, float kept) {
  const std::array<std::uint32_t, 4> bits = philox4x32(
      {static_cast<std::uint32_t>(index / 4), sample, words[2], words[3]}, {words[0], words[1]});
  const float uniform =
      static_cast<float>(bits[static_cast<std::size_t>(index % 4)] >> 8) * 0x1p-24F;
  return uniform < rate ? 0.0F : kept;
}

}  // namespace cubcal
