
#include "models/training_step.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include "cubcal_nn/models/registry.h"
#include "models/formula_values.h"

namespace cubcal {
namespace {

using testing_models::data_terms;
using testing_models::formula_values;
using testing_models::training_step;

TEST(TrainingStep, GradientsOfTheWholeLossEqualFiniteDifferences) {
  for (const LayerKind kind : {LayerKind::kVariational, LayerKind::kMcDropout}) {
    NetworkOptions options;
    options.classes = 3;
    options.channels = 1;
    options.height = options.width = 12;
    options.kind = kind;
    options.dtype = at::kDouble;
    const auto network = make_network("small-resnet", options);
    ParameterStore& store = network->parameters();
    WeightPasses passes(store, 3, WeightPasses::Use::kTraining);
    const at::Tensor images = formula_values("images", {4, 1, 12, 12});
    const at::Tensor labels = at::tensor({0, 1, 2, 0}, at::kLong);
    const KlOptions kl;
    const KlScale scale{200, 4};
    const NoiseKey key{5, 6, 0};
    passes.draw(key);
    training_step(*network, passes, images, labels, kl, scale);

    const c10::NoGradGuard no_grad;
    const auto loss_now = [&] {
      passes.draw(key);
      std::vector<at::Tensor> logits;
      for (std::size_t s = 0; s < passes.slots(); ++s) {
        logits.push_back(network->forward(images, network->context(passes, s, true)));
      }
      return data_terms(at::stack(logits), labels).item<double>() + kl_term(store, kl, scale);
    };
    const auto check = [&](const char* what, const at::Tensor& values, const at::Tensor& gradient) {
      constexpr double kStep = 1e-6;
      const std::int64_t stride = values.numel() / 25 + 1;
      for (std::int64_t i = 0; i < values.numel(); i += stride) {
        const double value = values[i].item<double>();
        values[i] = value + kStep;
        const double above = loss_now();
        values[i] = value - kStep;
        const double below = loss_now();
        values[i] = value;
        const double expected = (above - below) / (2 * kStep);
        EXPECT_NEAR(gradient[i].item<double>(), expected, 2e-6 * (1 + std::abs(expected)))
            << layer_kind_name(kind) << " " << what << " " << i;
      }
    };
    check("mu", store.mu(), store.mu_gradient());
    check("rho", store.rho(), store.rho_gradient());
    check("point", store.point(), store.point_gradient());
  }
}

TEST(TrainingStep, RepeatsBitByBit) {
  const auto run = [] {
    NetworkOptions options;
    options.height = options.width = 28;
    options.kind = LayerKind::kVariational;
    const auto network = make_network("small-resnet", options);
    ParameterStore& store = network->parameters();
    WeightPasses passes(store, 2, WeightPasses::Use::kTraining);
    const at::Tensor images = formula_values("images", {6, 3, 28, 28}).to(at::kFloat);
    const at::Tensor labels = at::tensor({0, 1, 1, 0, 1, 0}, at::kLong);
    for (std::uint64_t step = 0; step < 3; ++step) {
      passes.draw({1, step, 0});
      training_step(*network, passes, images, labels, {}, {100, 6});
      store.mu().sub_(store.mu_gradient(), 0.01);
      store.rho().sub_(store.rho_gradient(), 0.01);
      store.point().sub_(store.point_gradient(), 0.01);
    }
    return at::cat({store.mu(), store.rho(), store.point(), store.buffer_values()});
  };
  EXPECT_TRUE(at::equal(run(), run()));
}

/// Whatever a network is made of, a gradient reaches each of its parameters.
TEST(TrainingStep, ReachesEveryParameterOfEveryNetwork) {
  for (const char* name : {"convnext-tiny", "densenet121", "efficientnet-b0", "vit-s16"}) {
    NetworkOptions options;
    options.classes = 3;
    options.height = options.width = 32;
    options.kind = LayerKind::kVariational;
    const auto network = make_network(name, options);
    ParameterStore& store = network->parameters();
    WeightPasses passes(store, 1, WeightPasses::Use::kTraining);
    passes.draw({5, 6, 0});
    const at::Tensor images = formula_values("images", {4, 3, 32, 32}).to(at::kFloat);
    training_step(*network, passes, images, at::tensor({0, 1, 2, 0}, at::kLong), {}, {200, 4});
    for (std::size_t i = 0; i < store.parameters().size(); ++i) {
      const bool gaussian = store.parameters()[i].kind == ParameterKind::kVariational;
      const at::Tensor gradient =
          store.view(gaussian ? store.mu_gradient() : store.point_gradient(), i);
      EXPECT_TRUE(at::isfinite(gradient).all().item<bool>())
          << name << " " << store.parameters()[i].path;
      EXPECT_GT(gradient.abs().max().item<double>(), 0)
          << name << " " << store.parameters()[i].path;
    }
  }
}

}  // namespace
}  // namespace cubcal
