#include "cubcal/train/flat_sgd.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/optim/sgd.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

/// Two Gaussian tensors (a weight and a bias) and a point one, with values and gradients that are
/// functions of their place.
void fill(ParameterStore& store) {
  store.add_parameter("conv.weight", {3, 2, 2, 2}, ParameterKind::kVariational, {});
  store.add_parameter("conv.bias", {3}, ParameterKind::kVariational, {});
  store.add_parameter("bn.weight", {4}, ParameterKind::kPoint, {});
  store.allocate(at::kDouble, at::kCPU);
  store.enable_gradients();
  double start = 0.1;
  for (const at::Tensor& values : {store.mu(), store.rho(), store.point()}) {
    values.copy_(at::sin(at::arange(values.numel(), at::kDouble) + start));
    start += 1;
  }
}

void set_gradients(ParameterStore& store, int step) {
  for (const at::Tensor& values :
       {store.mu_gradient(), store.rho_gradient(), store.point_gradient()}) {
    values.copy_(at::cos(at::arange(values.numel(), at::kDouble) * 0.7 + step));
  }
}

TEST(FlatSgd, IsTorchSgdStepForStep) {
  for (const bool nesterov : {false, true}) {
    ParameterStore store;
    fill(store);
    SgdOptions options;
    options.nesterov = nesterov;
    options.weight_decay = 0.01;
    options.decay_scope = DecayScope::kAll;
    FlatSgd sgd(store, options);
    std::vector<at::Tensor> reference;
    for (const at::Tensor& values : {store.mu(), store.rho(), store.point()}) {
      reference.push_back(values.clone().set_requires_grad(true));
    }
    torch::optim::SGD torch_sgd(
        reference,
        torch::optim::SGDOptions(0.1).momentum(0.9).nesterov(nesterov).weight_decay(0.01));
    for (int step = 0; step < 5; ++step) {
      set_gradients(store, step);
      reference[0].mutable_grad() = store.mu_gradient().clone();
      reference[1].mutable_grad() = store.rho_gradient().clone();
      reference[2].mutable_grad() = store.point_gradient().clone();
      sgd.step(0.1);
      torch_sgd.step();
    }
    EXPECT_TRUE(at::allclose(store.mu(), reference[0], 1e-13, 1e-15));
    EXPECT_TRUE(at::allclose(store.rho(), reference[1], 1e-13, 1e-15));
    EXPECT_TRUE(at::allclose(store.point(), reference[2], 1e-13, 1e-15));
  }
}

/// With zero gradients and no momentum a step is w <- (1 - lr decay) w where decay acts.
struct Decayed {
  bool weight, bias, rho, point;
};

Decayed decayed(SgdOptions options) {
  ParameterStore store;
  fill(store);
  options.momentum = 0;
  options.weight_decay = 0.5;
  FlatSgd sgd(store, options);
  const at::Tensor mu = store.mu().clone();
  const at::Tensor rho = store.rho().clone();
  const at::Tensor point = store.point().clone();
  sgd.step(0.1);
  const auto shrunk = [](const at::Tensor& now, const at::Tensor& before) {
    if (at::allclose(now, 0.95 * before)) return true;
    EXPECT_TRUE(at::equal(now, before));
    return false;
  };
  return {shrunk(store.mu().slice(0, 0, 24), mu.slice(0, 0, 24)),
          shrunk(store.mu().slice(0, 24), mu.slice(0, 24)), shrunk(store.rho(), rho),
          shrunk(store.point(), point)};
}

TEST(FlatSgd, DecayReachesWhatItsScopeSays) {
  SgdOptions options;
  Decayed found = decayed(options);
  EXPECT_TRUE(found.weight && found.bias && found.point);
  EXPECT_FALSE(found.rho);
  options.decay_scope = DecayScope::kPoint;
  found = decayed(options);
  EXPECT_TRUE(found.point);
  EXPECT_FALSE(found.weight || found.bias || found.rho);
  options.decay_scope = DecayScope::kAll;
  EXPECT_TRUE(decayed(options).rho);
  options.decay_scope = DecayScope::kMeans;
  options.decay_norms_and_biases = false;
  found = decayed(options);
  EXPECT_TRUE(found.weight);
  EXPECT_FALSE(found.bias || found.point);
}

TEST(FlatSgd, ClippingBoundsTheNormOfTheWholeGradient) {
  ParameterStore store;
  fill(store);
  SgdOptions options;
  options.momentum = 0;
  options.weight_decay = 0;
  options.clip_norm = 0.5;
  FlatSgd sgd(store, options);
  set_gradients(store, 1);
  const at::Tensor before = at::cat({store.mu(), store.rho(), store.point()});
  sgd.step(1.0);
  const at::Tensor after = at::cat({store.mu(), store.rho(), store.point()});
  EXPECT_NEAR((after - before).norm().item<double>(), 0.5, 1e-5);

  store.zero_gradients();
  store.point_gradient().fill_(1e-3);
  const at::Tensor point = store.point().clone();
  sgd.step(1.0);
  EXPECT_TRUE(at::allclose(store.point(), point - 1e-3)) << "a short gradient is left alone";
}

TEST(FlatSgd, BadOptionsAreNamed) {
  ParameterStore store;
  fill(store);
  SgdOptions options;
  options.momentum = 1.5;
  expect_error<ArgumentError>([&] { FlatSgd(store, options); }, "momentum");
  options.momentum = 0;
  options.nesterov = true;
  expect_error<ArgumentError>([&] { FlatSgd(store, options); }, "nesterov");
  expect_error<ArgumentError>([] { value_named(kDecayScopes, "both"); }, "means, point or all");
}

}  // namespace
}  // namespace cubcal
