#include "cubcal_nn/train/training_step.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

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
  TrainingStep step(*network, options, {8, 8}, {}, 1);
  AvucThreshold threshold;
  step.run(some_batch(), {1, 0.0, 0.0}, threshold);
  return network->parameters().buffer_values().clone();
}

TEST(TrainingStep, RunningStatisticsMoveAlikeHoweverManyPasses) {
  const at::Tensor one = statistics_after_a_step(1);
  EXPECT_TRUE(at::allclose(statistics_after_a_step(5), one, 1e-4, 1e-6));
  EXPECT_FALSE(
      at::allclose(one, small_network(LayerKind::kDeterministic)->parameters().buffer_values()));
}

TEST(TrainingStep, TheLossIsTheSumOfItsWeightedTerms) {
  for (const TrainingMethod method :
       {TrainingMethod::kBnn, TrainingMethod::kBnnCub, TrainingMethod::kBnnAvuc}) {
    const std::unique_ptr<Network> network = small_network(LayerKind::kVariational);
    StageOptions options;
    options.method = method;
    options.passes = 2;
    TrainingStep step(*network, options, {100, 8}, {}, 1);
    AvucThreshold threshold;
    const LossTerms terms = step.run(some_batch(), {1, 0.01, 0.3}, threshold);
    EXPECT_GT(terms.kl, 0);
    EXPECT_EQ(terms.cub > 0, method == TrainingMethod::kBnnCub);
    EXPECT_EQ(terms.avuc != 0, method == TrainingMethod::kBnnAvuc);
    EXPECT_EQ(threshold.correct_count + threshold.incorrect_count,
              method == TrainingMethod::kBnnAvuc ? 8 : 0);
    const double sum = terms.cross_entropy + terms.kl + 0.3 * terms.cub + 3 * terms.avuc;
    EXPECT_NEAR(terms.loss, sum, 1e-5 * sum);
  }
}

TEST(TrainingStep, AStepFollowsFromItsStreamAlone) {
  const auto mu_after = [](std::uint64_t stream) {
    const std::unique_ptr<Network> network = small_network(LayerKind::kVariational);
    StageOptions options;
    options.method = TrainingMethod::kBnn;
    TrainingStep step(*network, options, {8, 8}, {}, 1);
    AvucThreshold threshold;
    step.run(some_batch(), {stream, 0.01, 0.0}, threshold);
    return network->parameters().mu().clone();
  };
  const at::Tensor first = mu_after(1);
  EXPECT_TRUE(at::equal(first, mu_after(1)));
  EXPECT_FALSE(at::equal(first, mu_after(2)));
}

TEST(TrainingStep, WeightsStayAsTheyAreWhereTheLossIsNotFinite) {
  const std::unique_ptr<Network> network = small_network(LayerKind::kDeterministic);
  TrainingStep step(*network, {}, {8, 8}, {}, 1);
  const at::Tensor before = network->parameters().point().clone();
  Batch batch = some_batch();
  batch.images.fill_(std::numeric_limits<float>::quiet_NaN());
  AvucThreshold threshold;
  EXPECT_FALSE(std::isfinite(step.run(batch, {1, 0.1, 0.0}, threshold).loss));
  EXPECT_TRUE(at::equal(network->parameters().point(), before));
}

}  // namespace
}  // namespace cubcal
