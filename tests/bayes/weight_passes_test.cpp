#include "cubcal_nn/bayes/weight_passes.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal_nn/bayes/layer_factory.h"

namespace cubcal {
namespace {

constexpr std::size_t kPasses = 3;

/// A convolution, batch norm and a linear layer: both kinds of parameter, weight and bias.
struct TinyNet {
  explicit TinyNet(LayerKind kind)
      : factory(kind == LayerKind::kVariational ? LayerFactory::variational(store)
                                                : LayerFactory::deterministic(store)),
        conv(factory.conv2d("conv", options())),
        norm(factory.batch_norm("bn", 4)),
        linear(factory.linear("fc", 4, 3)) {
    store.allocate(at::kDouble, at::kCPU);
    initialise(store, 1, -1.0);
  }

  static Conv2dOptions options() {
    Conv2dOptions o;
    o.in_channels = 2;
    o.out_channels = 4;
    o.stride = 2;
    o.padding = 1;
    return o;
  }

  at::Tensor forward(const at::Tensor& x, const TensorTable& weights) const {
    ForwardContext context(weights);
    context.training = true;
    return linear(norm(conv(x, context), context).tanh().mean({2, 3}), context);
  }

  ParameterStore store;
  LayerFactory factory;
  Conv2d conv;
  BatchNorm2d norm;
  Linear linear;
};

at::Tensor images() {
  at::Tensor x = at::empty({5, 2, 6, 6}, at::kDouble);
  normal_noise(x, {4, 4, 4});
  return x;
}

/// A loss that ties the passes together, as CUB-Loss does.
at::Tensor joint_loss(const at::Tensor& logits) {
  return logits.mean(0).softmax(1).select(1, 0).log().sum() + (logits * logits).mean();
}

double loss_value(TinyNet& net, WeightPasses& passes, const std::vector<at::Tensor>& noise) {
  const c10::NoGradGuard no_grad;
  passes.draw(noise);
  std::vector<at::Tensor> logits;
  for (std::size_t s = 0; s < kPasses; ++s) {
    logits.push_back(net.forward(images(), passes.weights(s)));
  }
  return joint_loss(at::stack(logits)).item<double>();
}

void run_backward(TinyNet& net, WeightPasses& passes) {
  std::vector<at::Tensor> logits;
  for (std::size_t s = 0; s < kPasses; ++s) {
    logits.push_back(net.forward(images(), passes.weights(s)));
  }
  at::Tensor z = at::stack(logits).detach().set_requires_grad(true);
  joint_loss(z).backward();
  passes.backward(logits, z.grad());
  EXPECT_FALSE(logits[0].defined());
}

void expect_gradient(TinyNet& net, WeightPasses& passes, const std::vector<at::Tensor>& noise,
                     const at::Tensor& values, const at::Tensor& gradient) {
  constexpr double kStep = 1e-5;
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    const double value = values[i].item<double>();
    values[i] = value + kStep;
    const double above = loss_value(net, passes, noise);
    values[i] = value - kStep;
    const double below = loss_value(net, passes, noise);
    values[i] = value;
    EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-7) << i;
  }
}

TEST(WeightPasses, GradientsEqualFiniteDifferences) {
  TinyNet net(LayerKind::kVariational);
  WeightPasses passes(net.store, kPasses, WeightPasses::Use::kTraining);
  passes.draw({21, 3, 0});
  std::vector<at::Tensor> noise;
  for (std::uint32_t s = 0; s < kPasses; ++s) {
    noise.push_back(at::empty_like(net.store.mu()));
    normal_noise(noise.back(), {21, 3, s});
  }
  run_backward(net, passes);
  const c10::NoGradGuard no_grad;
  expect_gradient(net, passes, noise, net.store.mu(), net.store.mu_gradient());
  expect_gradient(net, passes, noise, net.store.rho(), net.store.rho_gradient());
  expect_gradient(net, passes, noise, net.store.point(), net.store.point_gradient());
}

TEST(WeightPasses, GradientsAddUpUntilZeroed) {
  TinyNet net(LayerKind::kVariational);
  WeightPasses passes(net.store, kPasses, WeightPasses::Use::kTraining);
  passes.draw({21, 3, 0});
  run_backward(net, passes);
  const at::Tensor once = net.store.mu_gradient().clone();
  const at::Tensor once_rho = net.store.rho_gradient().clone();
  run_backward(net, passes);
  EXPECT_TRUE(at::allclose(net.store.mu_gradient(), 2 * once));
  EXPECT_TRUE(at::allclose(net.store.rho_gradient(), 2 * once_rho));
  net.store.zero_gradients();
  EXPECT_EQ(net.store.mu_gradient().abs().max().item<double>(), 0);
}

TEST(WeightPasses, ServePointNetworksAsWell) {
  TinyNet net(LayerKind::kDeterministic);
  WeightPasses passes(net.store, kPasses, WeightPasses::Use::kTraining);
  passes.draw({1, 1, 0});
  run_backward(net, passes);
  const std::vector<at::Tensor> noise(kPasses, at::empty({0}, at::kDouble));
  const c10::NoGradGuard no_grad;
  expect_gradient(net, passes, noise, net.store.point(), net.store.point_gradient());
}

TEST(WeightPasses, DrawOfAPassDependsOnItsNumberAlone) {
  TinyNet net(LayerKind::kVariational);
  WeightPasses training(net.store, kPasses, WeightPasses::Use::kTraining);
  training.draw({8, 2, 5});
  WeightPasses one(net.store, 1, WeightPasses::Use::kPrediction);
  for (const std::uint32_t s : {2U, 0U, 1U}) {
    one.draw_slot(0, {8, 2, 5 + s});
    EXPECT_TRUE(at::equal(one.weights(0)[0], training.weights(s)[0].detach()));
    EXPECT_EQ(one.key(0).pass, training.key(s).pass);
  }
  net.store.rho().fill_(-40);
  one.draw({8, 2, 5});
  EXPECT_TRUE(at::allclose(one.weights(0)[0], net.store.mean_weights()[0]));
}

TEST(WeightPasses, RefuseWhatDoesNotFit) {
  TinyNet net(LayerKind::kVariational);
  EXPECT_THROW(WeightPasses(net.store, 0, WeightPasses::Use::kPrediction), ArgumentError);
  WeightPasses passes(net.store, 1, WeightPasses::Use::kPrediction);
  EXPECT_THROW(passes.draw(std::vector<at::Tensor>{}), ArgumentError);
  EXPECT_THROW(passes.draw(std::vector<at::Tensor>{at::ones({3})}), ArgumentError);
  std::vector<at::Tensor> logits(1);
  EXPECT_THROW(passes.backward(logits, at::ones({1, 2, 3})), ArgumentError);
}

}  // namespace
}  // namespace cubcal
