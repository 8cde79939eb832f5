#include "cubcal_nn/train/step_exchange.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cubcal_nn/losses/avuc_objective.h"
#include "cubcal_nn/losses/cub_objective.h"
#include "cubcal_nn/losses/elbo_objective.h"
#include "cubcal_nn/models/registry.h"
#include "cubcal_nn/train/training_step.h"
#include "ranks/thread_ranks.h"

/// In float64, where no unit changes sides by rounding: ranks and one process must agree to a part
/// in 10^10.
namespace cubcal::test {
namespace {

constexpr std::int64_t kPasses = 4;

struct Trained {
  at::Tensor mu, rho, point, statistics;
  std::vector<double> losses;
};

std::unique_ptr<Network> double_network(LayerKind kind) {
  NetworkOptions options;
  options.classes = 3;
  options.height = options.width = 16;
  options.kind = kind;
  options.seed = 3;
  options.dtype = at::kDouble;
  return make_network("small-resnet", options);
}

/// Of `images` images, those of this rank.
Batch batch_of(std::int64_t images, const RankSplit& split) {
  Share own{0, images};
  if (split.group != nullptr && split.over == SplitOver::kImages && images >= split.ranks()) {
    own = share_of(images, split.rank(), split.ranks());
  }
  Batch batch;
  batch.first = own.first;
  batch.images = at::sin(at::arange(images * 3 * 16 * 16, at::kDouble))
                     .view({images, 3, 16, 16})
                     .narrow(0, own.first, own.count);
  batch.labels = at::arange(images, at::kLong).remainder(3);
  for (std::int64_t i = 0; i < own.count; ++i) batch.indices.push_back(own.first + i);
  return batch;
}

Trained trained(const Objective& objective, LayerKind kind, const RankSplit& split) {
  const std::unique_ptr<Network> network = double_network(kind);
  StageOptions options;
  options.method = training_method(kind == LayerKind::kVariational ? "bnn" : "mc-dropout");
  options.passes = kPasses;
  options.batch = 8;
  const at::Tensor class_weights = at::tensor({0.5, 1.5, 1.0}, at::kDouble);
  TrainingStep step(*network, options, objective, {100, 8}, class_weights, 1, {}, split);
  Trained result;
  // A full batch, one that is shared out unequally, and one of fewer images than four ranks.
  std::uint64_t stream = 1;
  for (const std::int64_t images : {8, 7, 3, 8}) {
    const StepNumbers numbers = step.run(batch_of(images, split), {stream++, 0.02});
    EXPECT_EQ(numbers.batch, images);
    result.losses.push_back(numbers.terms.loss);
  }
  const ParameterStore& store = network->parameters();
  result.mu = store.mu().clone();
  result.rho = store.rho().clone();
  result.point = store.point().detach().clone();
  result.statistics = store.buffer_values().clone();
  return result;
}

void expect_near(const at::Tensor& found, const at::Tensor& expected, const char* what) {
  if (expected.numel() == 0) return;
  const double distance = ((found - expected).norm() / expected.norm()).item<double>();
  EXPECT_LT(distance, 1e-10) << what;
}

void expect_ranks_train_alike(const Objective& objective, LayerKind kind) {
  const Trained alone = trained(objective, kind, {});
  for (const SplitOver over : {SplitOver::kImages, SplitOver::kPasses}) {
    for (const int ranks : {2, 4}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks over " + name_of(kSplitNames, over));
      std::vector<Trained> found(static_cast<std::size_t>(ranks));
      run_thread_ranks(ranks, [&](RankGroup& group) {
        RankSplit split{&group, over};
        split.piece = 1 << 14;
        found[static_cast<std::size_t>(group.rank())] = trained(objective, kind, split);
      });
      for (const Trained& each : found) {
        expect_near(each.mu, alone.mu, "mu");
        expect_near(each.rho, alone.rho, "rho");
        expect_near(each.point, alone.point, "point weights");
        expect_near(each.statistics, alone.statistics, "running statistics");
        EXPECT_EQ(each.losses, found.front().losses);
        for (std::size_t i = 0; i < alone.losses.size(); ++i) {
          EXPECT_NEAR(each.losses[i], alone.losses[i], 1e-9 * alone.losses[i]);
        }
        EXPECT_TRUE(at::equal(each.point, found.front().point));
        EXPECT_TRUE(at::equal(each.mu, found.front().mu));
      }
    }
  }
}

TEST(StepExchange, RanksTakeTheStepsOfOneProcessWithTheElbo) {
  expect_ranks_train_alike(ElboObjective(), LayerKind::kVariational);
}

TEST(StepExchange, RanksTakeTheStepsOfOneProcessWithCubLoss) {
  BetaOptions beta;
  beta.beta = 0.1;
  beta.warmup_epochs = 0;
  expect_ranks_train_alike(CubObjective(CubOptions{}, beta), LayerKind::kVariational);
}

TEST(StepExchange, RanksTakeTheStepsOfOneProcessWithAvuc) {
  expect_ranks_train_alike(AvucObjective(), LayerKind::kVariational);
}

TEST(StepExchange, RanksTakeTheStepsOfOneProcessWithDropout) {
  expect_ranks_train_alike(ElboObjective(), LayerKind::kMcDropout);
}

/// The first of two ranks, the other of which adds zeros; notes what it is asked for.
class NotingGroup : public RankGroup {
 public:
  explicit NotingGroup(std::vector<std::string>& events) : RankGroup(0, 2), events_(events) {}

  std::string backend() const override { return "none"; }
  void sum(std::vector<at::Tensor>) override { events_.emplace_back("sum"); }
  std::unique_ptr<RankWork> start_sum(std::vector<at::Tensor>) override {
    events_.emplace_back("start");
    return std::make_unique<NotingWork>(events_);
  }
  void share_first(std::vector<at::Tensor>) override {}

 private:
  struct NotingWork : RankWork {
    explicit NotingWork(std::vector<std::string>& events) : noted(events) {}
    void wait() override { noted.emplace_back("wait"); }
    std::vector<std::string>& noted;
  };

  std::vector<std::string>& events_;
};

TEST(StepExchange, GradientsAreOnTheirWayBeforeTheFirstLayerIsReached) {
  std::vector<std::string> events;
  NotingGroup group(events);
  RankSplit split{&group, SplitOver::kImages};
  split.piece = 1 << 13;
  const std::unique_ptr<Network> network = double_network(LayerKind::kVariational);
  StageOptions options;
  options.method = training_method("bnn");
  options.passes = 2;
  const ElboObjective objective{};
  TrainingStep step(*network, options, objective, {100, 8}, {}, 1, {}, split);
  step.run(batch_of(8, split), {1, 0.02});
  const auto pieces =
      static_cast<std::ptrdiff_t>(gradient_pieces(network->parameters(), split.piece).size());
  ASSERT_GT(pieces, 4);
  // The last sum is of the first layer's batch norm, on the way back.
  const auto last_sum = std::find(events.rbegin(), events.rend(), "sum").base();
  const auto early = std::count(events.begin(), last_sum, "start");
  EXPECT_GE(early, pieces - 2);
  EXPECT_EQ(std::count(events.begin(), events.end(), "start"), pieces);
  EXPECT_EQ(std::count(events.end() - pieces, events.end(), "wait"), pieces);
}

TEST(StepExchange, AStageOfOnePassIsSharedOutOverImages) {
  RankSplit split;
  split.over = SplitOver::kPasses;
  EXPECT_EQ(split.over_in(1), SplitOver::kImages);
  EXPECT_EQ(split.over_in(2), SplitOver::kPasses);
}

}  // namespace
}  // namespace cubcal::test
