#include "cubcal_nn/train/training_step.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "cubcal_nn/losses/avuc_objective.h"
#include "cubcal_nn/losses/cub_objective.h"
#include "cubcal_nn/losses/elbo_objective.h"
#include "cubcal_nn/models/registry.h"

namespace cubcal {
namespace {

std::unique_ptr<Network> small_network(LayerKind kind) {
  NetworkOptions options;
  options.classes = 3;
  options.height = options.width = 16;
  options.kind = kind;
  options.seed = 3;
  return make_network("small-resnet", options);
}

Batch some_batch() {
  Batch batch;
  batch.images = at::sin(at::arange(8 * 3 * 16 * 16, at::kFloat)).view({8, 3, 16, 16});
  batch.labels = at::tensor({0, 1, 2, 0, 1, 2, 0, 1}, at::kLong);
  batch.indices = {0, 1, 2, 3, 4, 5, 6, 7};
  return batch;
}

at::Tensor statistics_after_a_step(std::int64_t passes) {
  const std::unique_ptr<Network> network = small_network(LayerKind::kDeterministic);
  StageOptions options;
  options.passes = passes;
  const ElboObjective objective;
  TrainingStep step(*network, options, objective, {8, 8}, {}, 1);
  step.run(some_batch(), {1, 0.0});
  return network->parameters().buffer_values().clone();
}

TEST(TrainingStep, RunningStatisticsMoveAlikeHoweverManyPasses) {
  const at::Tensor one = statistics_after_a_step(1);
  EXPECT_TRUE(at::allclose(statistics_after_a_step(5), one, 1e-4, 1e-6));
  EXPECT_FALSE(
      at::allclose(one, small_network(LayerKind::kDeterministic)->parameters().buffer_values()));
}

TEST(TrainingStep, TheLossIsTheSumOfItsWeightedTerms) {
  BetaOptions beta;
  beta.beta = 0.3;
  beta.warmup_epochs = 0;
  const std::shared_ptr<Objective> objectives[] = {
      std::make_shared<ElboObjective>(), std::make_shared<CubObjective>(CubOptions{}, beta),
      std::make_shared<AvucObjective>()};
  for (const std::shared_ptr<Objective>& objective : objectives) {
    const std::unique_ptr<Network> network = small_network(LayerKind::kVariational);
    StageOptions options;
    options.method = training_method("bnn");
    options.passes = 2;
    TrainingStep step(*network, options, *objective, {100, 8}, {}, 1);
    const StepNumbers numbers = step.run(some_batch(), {1, 0.01});
    const LossTerms& terms = numbers.terms;
    const double cub = number_named(terms.own, "cub");
    const double avuc = number_named(terms.own, "avuc");
    EXPECT_GT(terms.kl, 0);
    EXPECT_EQ(numbers.batch, 8);
    EXPECT_EQ(terms.own.size(), objective->terms().size());
    EXPECT_EQ(cub > 0, objective == objectives[1]);
    EXPECT_EQ(avuc != 0, objective == objectives[2]);
    EXPECT_EQ(numbers.observed.size(), objective == objectives[2] ? 3U : 0U);
    const double sum = terms.cross_entropy + terms.kl + 0.3 * cub + 3 * avuc;
    EXPECT_NEAR(terms.loss, sum, 1e-5 * sum);
  }
}

TEST(TrainingStep, AStepFollowsFromItsStreamAlone) {
  const auto mu_after = [](std::uint64_t stream) {
    const std::unique_ptr<Network> network = small_network(LayerKind::kVariational);
    StageOptions options;
    options.method = training_method("bnn");
    const ElboObjective objective;
    TrainingStep step(*network, options, objective, {8, 8}, {}, 1);
    step.run(some_batch(), {stream, 0.01});
    return network->parameters().mu().clone();
  };
  const at::Tensor first = mu_after(1);
  EXPECT_TRUE(at::equal(first, mu_after(1)));
  EXPECT_FALSE(at::equal(first, mu_after(2)));
}

TEST(TrainingStep, WeightsStayAsTheyAreWhereTheLossIsNotFinite) {
  const std::unique_ptr<Network> network = small_network(LayerKind::kDeterministic);
  const ElboObjective objective;
  TrainingStep step(*network, {}, objective, {8, 8}, {}, 1);
  const at::Tensor before = network->parameters().point().clone();
  Batch batch = some_batch();
  batch.images.fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(std::isfinite(step.run(batch, {1, 0.1}).terms.loss));
  EXPECT_TRUE(at::equal(network->parameters().point(), before));
}

}  // namespace
}  // namespace cubcal
