#pragma once

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <functional>

#include "cubcal_nn/kernels/noise.h"

namespace cubcal::testing_losses {

using Loss = std::function<at::Tensor(const at::Tensor& logits)>;

/// Logits in double, normal with the given spread, the same in every run. The passes share most of
/// it, so that the mean prediction can be certain.
inline at::Tensor draw_logits(at::IntArrayRef shape, double spread, std::uint64_t seed) {
  at::Tensor shared = at::empty({shape[1], shape[2]}, at::kDouble);
  at::Tensor own = at::empty(shape, at::kDouble);
  normal_noise(shared, {seed, 0, 0});
  normal_noise(own, {seed, 1, 0});
  return (shared + 0.3 * own) * spread;
}

/// Labels of which about half are what the mean prediction says.
inline at::Tensor half_right_labels(const at::Tensor& logits) {
  const std::int64_t classes = logits.size(2);
  const at::Tensor predicted = logits.softmax(2).mean(0).argmax(1);
  const at::Tensor shift = at::arange(logits.size(1)) % 2;
  return (predicted + shift) % classes;
}

/// Every partial derivative against central differences, in double.
inline void expect_gradient(const at::Tensor& at_logits, const Loss& loss,
                            double tolerance = 1e-7) {
  at::Tensor logits = at_logits.clone().set_requires_grad(true);
  loss(logits).backward();
  const at::Tensor gradient = logits.grad().reshape({-1});
  const c10::NoGradGuard no_grad;
  at::Tensor moved = at_logits.clone();
  at::Tensor flat = moved.view({-1});
  constexpr double kStep = 1e-5;
  for (std::int64_t i = 0; i < flat.numel(); ++i) {
    const double value = flat[i].item<double>();
    flat[i] = value + kStep;
    const double above = loss(moved).item<double>();
    flat[i] = value - kStep;
    const double below = loss(moved).item<double>();
    flat[i] = value;
    const double expected = (above - below) / (2 * kStep);
    EXPECT_NEAR(gradient[i].item<double>(), expected, tolerance * (1 + std::abs(expected))) << i;
  }
}

}  // namespace cubcal::testing_losses
