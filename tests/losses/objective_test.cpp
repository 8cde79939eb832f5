#include "cubcal_nn/losses/objective.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal_nn/losses/avuc_objective.h"
#include "cubcal_nn/losses/cross_entropy.h"
#include "cubcal_nn/losses/cub_objective.h"
#include "cubcal_nn/losses/elbo_objective.h"
#include "expect_error.h"
#include "losses/finite_differences.h"

namespace cubcal {
namespace {

using test::expect_error;

LossTerms terms_with(double cross_entropy, const NamedNumbers& own) {
  return {1, cross_entropy, 0.5, 3, own};
}

StepLoss evaluated(const Objective& objective, bool replayed = false) {
  const at::Tensor logits = testing_losses::draw_logits({3, 8, 4}, 2.0, 5);
  const at::Tensor labels = testing_losses::half_right_labels(logits);
  const MeanPrediction prediction = mean_prediction(logits);
  const at::Tensor cross_entropy = expected_cross_entropy(logits, labels);
  const at::Tensor scalars = at::tensor(objective.scalars(), at::kDouble);
  return objective.evaluate({logits, labels, prediction, cross_entropy, scalars, replayed});
}

TEST(Objective, NumbersAreAddedByName) {
  NamedNumbers sums = {{"a", 1}};
  add_numbers(sums, {{"b", 2}, {"a", 3}});
  EXPECT_EQ(number_named(sums, "a"), 4);
  EXPECT_EQ(number_named(sums, "b"), 2);
  EXPECT_EQ(number_named(sums, "c"), 0);
}

TEST(Objective, EachAddsItsWeightedTermToTheCrossEntropy) {
  const double plain = evaluated(ElboObjective()).loss.item<double>();
  const StepLoss cub = evaluated(CubObjective({}, {BetaMode::kFixed, 0.3, 0}));
  EXPECT_DOUBLE_EQ(cub.loss.item<double>(), plain + 0.3 * cub.terms[0].item<double>());
  const StepLoss avuc = evaluated(AvucObjective({2.0, 5}));
  EXPECT_DOUBLE_EQ(avuc.loss.item<double>(), plain + 2 * avuc.terms[0].item<double>());
  EXPECT_EQ(avuc.observed.numel(), 3);
}

TEST(Objective, CubLossIsMeasuredInItsWarmUpAndRecordedForAReplay) {
  const CubObjective objective({}, {BetaMode::kFixed, 0.3, 1});
  const double plain = evaluated(ElboObjective()).loss.item<double>();
  EXPECT_EQ(evaluated(objective).loss.item<double>(), plain);
  EXPECT_GT(evaluated(objective).terms[0].item<double>(), 0);
  const at::Tensor recorded = evaluated(objective, /*replayed=*/true).loss;
  EXPECT_EQ(recorded.item<double>(), plain);
}

TEST(Objective, AStateGoesOnWhereItWas) {
  CubObjective cub({}, {BetaMode::kAutomatic, 0, 0});
  AvucObjective avuc;
  for (Objective* each : {static_cast<Objective*>(&cub), static_cast<Objective*>(&avuc)}) {
    StepNumbers numbers{terms_with(0.7, {{"cub", 3.1}}), 8, {1.25, 4.5, 5}};
    each->observe(numbers);
    each->end_epoch();
    each->observe(numbers);
  }
  // Side by side, as checkpoints of version 1 had them.
  nlohmann::json both = cub.state();
  both.update(avuc.state());
  CubObjective other_cub({}, {BetaMode::kAutomatic, 0, 0});
  other_cub.restore(both);
  EXPECT_EQ(other_cub.state(), cub.state());
  EXPECT_EQ(other_cub.scalars(), cub.scalars());
  AvucObjective other_avuc({1.0, 2});
  other_avuc.restore(both);
  EXPECT_EQ(other_avuc.state(), avuc.state());
  EXPECT_EQ(other_avuc.scalars(), avuc.scalars());
}

TEST(Objective, ACubLossThatDominatesIsToldBeforeItsWarmUpEnds) {
  const LossTerms means = terms_with(0.25, {{"cub", 2.7}});
  const std::optional<std::string> text = CubObjective({}, {BetaMode::kFixed, 1.2, 5}).alarm(means);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("weighs 13 times the cross entropy (3.2 against 0.25)"), std::string::npos)
      << *text;
  EXPECT_FALSE(CubObjective({}, {BetaMode::kFixed, 0.3, 5}).alarm(means));
}

TEST(Objective, OptionsAreCheckedAgainstTheUse) {
  const CubObjective objective({0.3, BatchReduction::kSum, 1e-3}, {BetaMode::kFixed, 0.1, 5});
  objective.check({});
  expect_error<ArgumentError>(
      [&] {
        objective.check({5, 0});
      },
      "leaves none of the 5 epochs for CUB-Loss");
  objective.check({6, 4});
  EXPECT_THROW(objective.check({6, 2}), ArgumentError) << "gamma below 1/2";
  expect_error<ArgumentError>(
      [] {
        AvucObjective({-1.0, 5}).check({});
      },
      "avuc_weight must be at least 0");
}

TEST(Objective, ItsTermsInAFewWords) {
  EXPECT_EQ(ElboObjective().summary(terms_with(1, {})), "");
  EXPECT_EQ(CubObjective({}, {BetaMode::kFixed, 0.1, 0}).summary(terms_with(1, {{"cub", 17.23}})),
            "β 0.100 x CUB 17.2");
  EXPECT_EQ(AvucObjective().summary(terms_with(1, {{"avuc", 0.5}})), "AvUC 0.500");
}

}  // namespace
}  // namespace cubcal
