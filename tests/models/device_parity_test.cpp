#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <gtest/gtest.h>

#include "cubcal_nn/models/registry.h"
#include "models/formula_values.h"
#include "models/training_step.h"

namespace cubcal {
namespace {

using testing_models::formula_values;
using testing_models::training_step;

double relative_distance(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor reference = a.to(at::kDouble);
  return ((reference - b.cpu().to(at::kDouble)).norm() / (reference.norm() + 1e-12)).item<double>();
}

class DeviceParity : public testing::Test {
 protected:
  void SetUp() override {
    if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no CUDA device";
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setAllowTF32CuBLAS(false);
  }
};

/// One training step on both devices from the same weights and noise.
void expect_same_step(const char* name, c10::ScalarType dtype, double tolerance) {
  NetworkOptions options;
  options.classes = 3;
  options.height = options.width = 64;
  options.kind = LayerKind::kVariational;
  options.dtype = dtype;
  const auto host = make_network(name, options);
  options.device = at::Device(at::kCUDA);
  const auto device = make_network(name, options);
  EXPECT_TRUE(at::allclose(host->parameters().mu(), device->parameters().mu().cpu(), 1e-5, 1e-7));
  device->parameters().mu().copy_(host->parameters().mu());
  const at::Tensor images = formula_values("images", {8, 3, 64, 64}).to(dtype);
  const at::Tensor labels = at::arange(8) % 3;
  std::vector<at::Tensor> noise;
  for (std::uint32_t s = 0; s < 2; ++s) {
    noise.push_back(at::empty_like(host->parameters().mu()));
    normal_noise(noise.back(), {1, 1, s});
  }
  WeightPasses on_host(host->parameters(), 2, WeightPasses::Use::kTraining);
  WeightPasses on_device(device->parameters(), 2, WeightPasses::Use::kTraining);
  on_host.draw(noise);
  on_device.draw(noise);
  const double loss = training_step(*host, on_host, images, labels, {}, {100, 8});
  const double device_loss =
      training_step(*device, on_device, images.cuda(), labels.cuda(), {}, {100, 8});
  EXPECT_NEAR(device_loss, loss, tolerance * (1 + std::abs(loss))) << name;
  const ParameterStore& a = host->parameters();
  const ParameterStore& b = device->parameters();
  EXPECT_LT(relative_distance(a.mu_gradient(), b.mu_gradient()), tolerance) << name;
  EXPECT_LT(relative_distance(a.rho_gradient(), b.rho_gradient()), tolerance) << name;
  EXPECT_LT(relative_distance(a.point_gradient(), b.point_gradient()), tolerance) << name;
  EXPECT_LT(relative_distance(a.buffer_values(), b.buffer_values()), tolerance) << name;
}

TEST_F(DeviceParity, AStepIsTheSameOnCpuAndCudaForTheSameNoise) {
  // Deep networks with batch statistics of few images amplify float32 rounding; in float64 the two
  // devices must agree closely.
  expect_same_step("small-resnet", at::kFloat, 2e-3);
  for (const char* name : {"small-resnet", "resnet50", "covidnet-large", "densenet121",
                           "efficientnet-b0", "convnext-tiny"}) {
    expect_same_step(name, at::kDouble, 1e-8);
  }
  expect_same_step("vit-s16", at::kDouble, 1e-6);
}

TEST_F(DeviceParity, NoiseAndMasksAreTheSameOnBothDevices) {
  at::Tensor host = at::empty({100'003});
  at::Tensor device = at::empty({100'003}, at::kCUDA);
  normal_noise(host, {3, 4, 5});
  normal_noise(device, {3, 4, 5});
  EXPECT_TRUE(at::allclose(host, device.cpu(), 1e-5, 1e-6));
  const at::TensorOptions options = at::TensorOptions().dtype(at::kFloat);
  EXPECT_TRUE(
      at::equal(dropout_mask({4, 9}, 50, 0.3, 1, {1, 2, 3}, options),
                dropout_mask({4, 9}, 50, 0.3, 1, {1, 2, 3}, options.device(at::kCUDA)).cpu()));
}

}  // namespace
}  // namespace cubcal
