#include "cubcal_nn/bayes/parameter_store.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"

namespace cubcal {
namespace {

void add_layers(ParameterStore& store, ParameterKind kind) {
  store.add_parameter("conv.weight", {4, 3, 3, 3}, kind, {Initialisation::Law::kNormal, 0.5});
  store.add_parameter("bn.weight", {4}, ParameterKind::kPoint, {Initialisation::Law::kConstant, 1});
  store.add_parameter("fc.weight", {2, 4}, kind, {Initialisation::Law::kUniform, 0.25});
  store.add_buffer("bn.running_var", {4}, 1.0);
}

TEST(ParameterStore, ViewsAliasTheFlatBuffers) {
  ParameterStore store;
  add_layers(store, ParameterKind::kVariational);
  store.allocate(at::kFloat, at::kCPU);
  EXPECT_EQ(store.variational_size(), 108 + 8);
  EXPECT_EQ(store.point_size(), 4);
  EXPECT_EQ(store.parameter_count(), 120);
  store.mu().copy_(at::arange(116));
  EXPECT_EQ(store.mean_weights()[2][0][0].item<float>(), 108.0F);
  store.view(store.mu(), 2).fill_(-1);
  EXPECT_EQ(store.mu().slice(0, 108).sum().item<float>(), -8.0F);
  EXPECT_EQ(store.index_of("fc.weight"), 2U);
  EXPECT_THROW(store.index_of("fc.bias"), ArgumentError);
  EXPECT_THROW(store.add_parameter("late", {1}, ParameterKind::kPoint, {}), ArgumentError);
}

TEST(ParameterStore, PointGradientsAreGatheredInOneBuffer) {
  ParameterStore store;
  add_layers(store, ParameterKind::kPoint);
  store.allocate(at::kDouble, at::kCPU);
  store.enable_gradients();
  const at::Tensor weight = store.mean_weights()[2];
  (weight * weight).sum().backward();
  (weight * 3).sum().backward();
  const at::Tensor expected = 2 * weight.detach() + 3;
  EXPECT_TRUE(at::allclose(store.view(store.point_gradient(), 2), expected));
  EXPECT_EQ(store.view(store.point_gradient(), 0).abs().sum().item<double>(), 0);
  store.zero_gradients();
  EXPECT_EQ(weight.grad().abs().sum().item<double>(), 0);
}

TEST(Initialise, DrawsBySeedAndPathAlike) {
  ParameterStore point;
  add_layers(point, ParameterKind::kPoint);
  point.allocate(at::kFloat, at::kCPU);
  initialise(point, 3);
  ParameterStore gaussian;
  add_layers(gaussian, ParameterKind::kVariational);
  gaussian.allocate(at::kFloat, at::kCPU);
  initialise(gaussian, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(at::equal(point.mean_weights()[i], gaussian.mean_weights()[i])) << i;
  }
  EXPECT_NEAR(point.mean_weights()[0].std().item<double>(), 0.5, 0.15);
  EXPECT_LE(point.mean_weights()[2].abs().max().item<double>(), 0.25);
  EXPECT_TRUE((gaussian.rho() == -3).all().item<bool>());
  EXPECT_TRUE((gaussian.buffer(0) == 1).all().item<bool>());
  initialise(gaussian, 4);
  EXPECT_FALSE(at::equal(point.mean_weights()[0], gaussian.mean_weights()[0]));
}

TEST(Transfer, CopiesByPathAndReportsEveryOtherName) {
  ParameterStore source;
  add_layers(source, ParameterKind::kVariational);
  source.allocate(at::kFloat, at::kCPU);
  initialise(source, 5);
  ParameterStore target;
  add_layers(target, ParameterKind::kVariational);
  target.allocate(at::kDouble, at::kCPU);
  EXPECT_TRUE(transfer(source.named_tensors(), target).complete());
  EXPECT_TRUE(at::equal(source.mu().to(at::kDouble), target.mu()));
  EXPECT_TRUE(at::equal(source.rho().to(at::kDouble), target.rho()));

  NamedTensors wrong = source.named_tensors();
  wrong.erase(wrong.begin());  // conv.weight.mu
  wrong.emplace_back("head.weight", at::ones({2}));
  for (auto& [name, tensor] : wrong) {
    if (name == "bn.weight") tensor = at::ones({5});
  }
  const TransferReport report = transfer(wrong, target);
  EXPECT_FALSE(report.complete());
  EXPECT_EQ(report.text(),
            "missing from the source: conv.weight.mu; unknown to the network: head.weight; "
            "of another shape: bn.weight: expected (4), got (5)");
}

}  // namespace
}  // namespace cubcal
