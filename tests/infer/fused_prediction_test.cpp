#include "cubcal_nn/infer/fused_prediction.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "cubcal_nn/infer/mc_engine.h"
#include "infer/tiny_model.h"

namespace cubcal {
namespace {

std::unique_ptr<Network> gaussian_network(const char* name, std::int64_t size, c10::Device device) {
  NetworkOptions options;
  options.classes = 3;
  options.height = options.width = size;
  options.kind = LayerKind::kVariational;
  options.device = device;
  auto network = make_network(name, options);
  // Statistics of batch norm that are no identity.
  ParameterStore& store = network->parameters();
  const at::Tensor values = at::sin(at::arange(store.buffer_values().numel(), at::kFloat));
  store.buffer_values().copy_(values.abs() * 0.5 + 0.5);
  store.rho().fill_(-4.5);
  return network;
}

double distance(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor reference = a.cpu().to(at::kDouble);
  return ((reference - b.cpu().to(at::kDouble)).norm() / (reference.norm() + 1e-12)).item<double>();
}

at::Tensor images_on(c10::Device device, std::int64_t count, std::int64_t size) {
  return at::sin(at::arange(count * 3 * size * size, at::kFloat) * 0.37)
      .view({count, 3, size, size})
      .to(device);
}

/// Plain passes: WeightPasses, norms as layers.
at::Tensor plain_logits(Network& network, const at::Tensor& images, std::size_t first,
                        std::size_t count) {
  const c10::NoGradGuard no_grad;
  WeightPasses passes(network.parameters(), 1, WeightPasses::Use::kPrediction);
  std::vector<at::Tensor> logits;
  for (std::size_t s = 0; s < count; ++s) {
    passes.draw_slot(0, {6, 0, static_cast<std::uint32_t>(first + s)});
    logits.push_back(network.forward(images, network.context(passes, 0)));
  }
  return at::stack(logits);
}

void expect_same_logits(const char* name, c10::Device device, Precision precision,
                        double tolerance) {
  const std::int64_t size = std::string(name) == "small-resnet" ? 16 : 32;
  const auto network = gaussian_network(name, size, device);
  const at::Tensor images = images_on(device, 7, size);
  const ComputeScope exact(compute_settings(Precision::kFp32, device));
  const at::Tensor expected = plain_logits(*network, images, 2, 5);
  FusedPrediction fused(*network, precision);
  const FusedPrediction::Passes passes{6, 2, 5};
  const auto rows = [&](std::int64_t first, std::int64_t count) {
    return images.narrow(0, first, count);
  };
  std::size_t steps = 0;
  const at::Tensor by_pass = fused.by_pass(rows, 7, 3, passes, [&](std::size_t, std::size_t of) {
    ++steps;
    EXPECT_EQ(of, 15U);
  });
  EXPECT_EQ(steps, 15U);
  EXPECT_LT(distance(expected, by_pass), tolerance) << name;
  const at::Tensor few = images.narrow(0, 0, 2);
  const at::Tensor at_once = fused.at_once(few, passes, false);
  EXPECT_LT(distance(expected.narrow(1, 0, 2), at_once), tolerance) << name;
  EXPECT_TRUE(at::equal(at_once, fused.at_once(few, passes, true))) << name;
}

TEST(FusedPrediction, GivesThePlainLogits) {
  const c10::Device cpu(c10::DeviceType::CPU);
  for (const char* name : {"small-resnet", "covidnet-large", "densenet121", "efficientnet-b0"}) {
    expect_same_logits(name, cpu, Precision::kFp32, 1e-4);
  }
}

TEST(FusedPrediction, GivesThePlainLogitsOnAGpu) {
  if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no CUDA device";
  const c10::Device device(c10::DeviceType::CUDA);
  for (const char* name : {"small-resnet", "resnet34", "resnet50", "covidnet-large", "densenet121",
                           "efficientnet-b0", "convnext-tiny", "vit-s16"}) {
    expect_same_logits(name, device, Precision::kFp32, 1e-3);
    expect_same_logits(name, device, Precision::kBf16, 0.1);
  }
}

/// Of many passes kept draws go through the network in parts, side by side; after two calls of a
/// kind as a graph. Numbers of images and of passes take turns.
void expect_same_by_parts(c10::Device device, Precision precision, double tolerance) {
  const auto network = gaussian_network("small-resnet", 16, device);
  FusedPrediction fused(*network, precision);
  const ComputeScope exact(compute_settings(Precision::kFp32, device));
  const at::Tensor images = images_on(device, 3, 16);
  const at::Tensor all = plain_logits(*network, images, 1, 67);
  const auto look = [&](std::int64_t count, std::size_t passes, bool keep) {
    const at::Tensor expected =
        all.narrow(0, 0, static_cast<std::int64_t>(passes)).narrow(1, 3 - count, count);
    const at::Tensor logits =
        fused.at_once(images.narrow(0, 3 - count, count), {6, 1, passes}, keep);
    EXPECT_LT(distance(expected, logits), tolerance)
        << count << " images, " << passes << " passes" << (keep ? ", kept" : "");
  };
  for (const std::int64_t count : {2, 2, 2, 2, 1, 3}) {
    for (const bool keep : {false, true}) look(count, 67, keep);
  }
  for (int round = 0; round < 4; ++round) {
    for (const std::size_t passes : {8, 4, 4, 1}) look(1, passes, true);
  }
  look(3, 67, true);
}

TEST(FusedPrediction, GivesThePlainLogitsByParts) {
  expect_same_by_parts(c10::Device(c10::DeviceType::CPU), Precision::kFp32, 1e-4);
}

TEST(FusedPrediction, GivesThePlainLogitsByPartsOnAGpu) {
  if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no CUDA device";
  expect_same_by_parts(c10::Device(c10::DeviceType::CUDA), Precision::kFp32, 1e-3);
  expect_same_by_parts(c10::Device(c10::DeviceType::CUDA), Precision::kBf16, 0.1);
}

TEST(FusedPrediction, KeptDrawsAreForgottenWhenThePassesChange) {
  const auto network = gaussian_network("small-resnet", 16, c10::Device(c10::DeviceType::CPU));
  const at::Tensor images = images_on(c10::Device(c10::DeviceType::CPU), 1, 16);
  FusedPrediction fused(*network, Precision::kFp32);
  const at::Tensor first = fused.at_once(images, {6, 0, 4}, true);
  EXPECT_FALSE(at::equal(first, fused.at_once(images, {7, 0, 4}, true)));
  EXPECT_TRUE(at::equal(first, fused.at_once(images, {6, 0, 4}, true)));
  network->parameters().mu().mul_(1.5);
  EXPECT_TRUE(at::equal(first, fused.at_once(images, {6, 0, 4}, true)));
  EXPECT_FALSE(at::equal(first, fused.at_once(images, {6, 0, 4}, false)));
}

}  // namespace
}  // namespace cubcal
