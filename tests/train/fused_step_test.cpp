#include "cubcal_nn/train/fused_step.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <limits>

#include "cubcal_nn/losses/cub_objective.h"
#include "cubcal_nn/models/registry.h"
#include "cubcal_nn/train/training_step.h"

namespace cubcal {
namespace {

std::unique_ptr<Network> network_on(c10::Device device, LayerKind kind,
                                    const char* name = "small-resnet", std::int64_t size = 16) {
  NetworkOptions options;
  options.classes = 3;
  options.height = options.width = size;
  options.kind = kind;
  options.seed = 3;
  options.device = device;
  return make_network(name, options);
}

Batch batch_on(c10::Device device, std::int64_t count, std::int64_t size = 16) {
  Batch batch;
  batch.images = at::sin(at::arange(count * 3 * size * size, at::kFloat))
                     .view({count, 3, size, size})
                     .to(device);
  batch.labels = (at::arange(count) % 3).to(device);
  for (std::int64_t i = 0; i < count; ++i) batch.indices.push_back(10 + i);
  return batch;
}

StageOptions options_of(const std::string& method, std::int64_t batch) {
  StageOptions options;
  options.method = training_method(method);
  options.batch = batch;
  options.passes = 2;
  options.sgd.nesterov = true;
  options.sgd.clip_norm = 5;
  options.sgd.decay_norms_and_biases = false;
  return options;
}

double distance(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor reference = a.cpu().to(at::kDouble);
  return ((reference - b.cpu().to(at::kDouble)).norm() / (reference.norm() + 1e-12)).item<double>();
}

/// Its beta is 0 in the first two epochs.
std::unique_ptr<Objective> objective_of(const std::string& method) {
  BetaOptions beta;
  beta.beta = 0.3;
  beta.warmup_epochs = 2;
  if (method == "bnn+cub") return std::make_unique<CubObjective>(CubOptions{}, beta);
  return training_method(method).objective->clone();
}

/// Six steps, one of them with a smaller batch, against TrainingStep on the CPU.
void expect_same_training(c10::Device device, const std::string& method, double tolerance) {
  const c10::Device cpu(c10::DeviceType::CPU);
  const StageOptions options = options_of(method, 8);
  const auto plain = network_on(cpu, options.method.kind);
  const auto fused = network_on(device, options.method.kind);
  const auto plain_objective = objective_of(method);
  const auto fused_objective = objective_of(method);
  const at::Tensor class_weights = at::tensor({1.0, 2.0, 0.5}, at::kFloat);
  TrainingStep plain_step(*plain, options, *plain_objective, {100, 8}, class_weights, 1);
  FlatSgd optimiser(fused->parameters(), options.sgd);
  FusedStep fused_step(*fused, options, *fused_objective, {100, 8}, class_weights.to(device), 1,
                       optimiser, Precision::kFp32);
  for (std::uint64_t i = 0; i < 7; ++i) {
    const std::int64_t count = i == 4 ? 5 : 8;
    // Memory that a smaller batch gave back is not what a replayed step reads from.
    const at::Tensor other = at::full({1 << 22}, 1e6, at::TensorOptions().device(device));
    // Small steps: across the edge of a region CUB-Loss would amplify rounding.
    const StepOptions step{i + 1, 0.002};
    const StepNumbers plain_numbers = plain_step.run(batch_on(cpu, count), step);
    const StepNumbers fused_numbers = fused_step.run(batch_on(device, count), step);
    const LossTerms& a = plain_numbers.terms;
    const LossTerms& b = fused_numbers.terms;
    EXPECT_NEAR(a.loss, b.loss, tolerance * std::abs(a.loss)) << i;
    EXPECT_NEAR(a.kl, b.kl, tolerance * std::abs(a.kl)) << i;
    ASSERT_EQ(a.own.size(), b.own.size());
    for (std::size_t k = 0; k < a.own.size(); ++k) {
      EXPECT_NEAR(a.own[k].second, b.own[k].second,
                  10 * tolerance * (1e-3 + std::abs(a.own[k].second)))
          << a.own[k].first << i;
    }
    EXPECT_EQ(plain_numbers.observed.size(), fused_numbers.observed.size());
    if (method != "bnn+cub") continue;
    plain_objective->end_epoch();
    fused_objective->end_epoch();
  }
  const ParameterStore& a = plain->parameters();
  const ParameterStore& b = fused->parameters();
  EXPECT_LT(distance(a.mu(), b.mu()), tolerance);
  EXPECT_LT(distance(a.rho(), b.rho()), tolerance);
  EXPECT_LT(distance(a.point(), b.point()), tolerance);
  EXPECT_LT(distance(a.buffer_values(), b.buffer_values()), 10 * tolerance);
}

TEST(FusedStep, TrainsLikeTheTrainingStep) {
  for (const TrainingMethod& method : training_methods()) {
    SCOPED_TRACE(method.name);
    expect_same_training(c10::Device(c10::DeviceType::CPU), method.name, 2e-4);
  }
}

TEST(FusedStep, TrainsLikeTheTrainingStepAsAGraph) {
  if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no CUDA device";
  for (const TrainingMethod& method : training_methods()) {
    SCOPED_TRACE(method.name);
    expect_same_training(c10::Device(c10::DeviceType::CUDA), method.name, 5e-3);
  }
}

TEST(FusedStep, ALossThatIsNotFiniteChangesNoWeight) {
  const c10::Device cpu(c10::DeviceType::CPU);
  const auto network = network_on(cpu, LayerKind::kVariational);
  const StageOptions options = options_of("bnn", 8);
  FlatSgd optimiser(network->parameters(), options.sgd);
  const auto objective = objective_of("bnn");
  FusedStep step(*network, options, *objective, {100, 8}, {}, 1, optimiser, Precision::kFp32);
  Batch batch = batch_on(cpu, 8);
  batch.images[0][0][0][0] = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor before = network->parameters().mu().clone();
  EXPECT_FALSE(std::isfinite(step.run(batch, {1, 0.1}).terms.loss));
  EXPECT_TRUE(at::equal(before, network->parameters().mu()));
}

void expect_training_in_bf16(const char* name) {
  const c10::Device device(c10::DeviceType::CUDA);
  const auto plain = network_on(device, LayerKind::kVariational, name, 64);
  const auto fused = network_on(device, LayerKind::kVariational, name, 64);
  const StageOptions options = options_of("bnn+cub", 8);
  const CubObjective objective({}, {BetaMode::kFixed, 0.1, 0});
  double first_loss[2] = {0, 0};
  int which = 0;
  for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
    Network& network = which == 0 ? *plain : *fused;
    TrainingStep step(network, options, objective, {100, 8}, {}, 1, {precision});
    for (std::uint64_t i = 0; i < 6; ++i) {
      const LossTerms terms = step.run(batch_on(device, 8, 64), {i + 1, 1e-4}).terms;
      EXPECT_TRUE(std::isfinite(terms.loss)) << name;
      if (i == 0) first_loss[which] = terms.cross_entropy;
    }
    ++which;
  }
  EXPECT_NEAR(first_loss[0], first_loss[1], 0.1 * std::abs(first_loss[0])) << name;
}

TEST(FusedStep, EveryNetworkTrainsInBf16) {
  if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no CUDA device";
  for (const char* name : {"small-resnet", "resnet18", "resnet50", "covidnet-large"}) {
    expect_training_in_bf16(name);
  }
}

class NetworkInBf16 : public testing::TestWithParam<const char*> {};

TEST_P(NetworkInBf16, Trains) {
  if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no CUDA device";
  expect_training_in_bf16(GetParam());
}

INSTANTIATE_TEST_SUITE_P(FusedStep, NetworkInBf16,
                         testing::Values("densenet121", "efficientnet-b0", "convnext-tiny",
                                         "vit-s16"));

}  // namespace
}  // namespace cubcal
