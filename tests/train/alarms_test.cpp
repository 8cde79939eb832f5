#include "cubcal_nn/train/alarms.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>

#include "cubcal_nn/losses/cub_objective.h"
#include "cubcal_nn/losses/elbo_objective.h"

namespace cubcal {
namespace {

EpochReport healthy() {
  EpochReport report;
  report.epoch = 4;
  report.kl_share = 0.3;
  report.sigma = {0.01, 0.001, 0.1, 0.1};
  report.validation[Metric::kAccuracy] = 0.8;
  report.validation[Metric::kBalancedAccuracy] = 0.8;
  return report;
}

AlarmContext context() { return {5, 2, 0.5, true, false}; }

std::vector<Alarm> alarms_of(const EpochReport& report, const AlarmContext& context) {
  return epoch_alarms(report, context, ElboObjective());
}

void expect_one(const EpochReport& report, AlarmKind kind, const std::string& words) {
  const std::vector<Alarm> alarms = alarms_of(report, context());
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].kind, kind);
  EXPECT_NE(alarms[0].text.find(words), std::string::npos) << alarms[0].text;
  EXPECT_NE(alarms[0].text.find("epoch 5"), std::string::npos) << alarms[0].text;
}

TEST(Alarms, AHealthyEpochRaisesNone) { EXPECT_TRUE(alarms_of(healthy(), context()).empty()); }

TEST(Alarms, CollapsedAndExplodedSigma) {
  EpochReport report = healthy();
  report.sigma.noise_to_signal = 1e-4;
  expect_one(report, AlarmKind::kSigmaCollapsed, "raise moped_delta");
  report.sigma.noise_to_signal = 20;
  expect_one(report, AlarmKind::kSigmaExploded, "lower moped_delta");
}

TEST(Alarms, PointNetworksHaveNoSigma) {
  EpochReport report = healthy();
  report.sigma = {};
  report.kl_share = 0;
  EXPECT_TRUE(alarms_of(report, {5, 2, 0.5, false, false}).empty());
}

TEST(Alarms, KlThatDominates) {
  EpochReport report = healthy();
  report.kl_share = 0.95;
  expect_one(report, AlarmKind::kKlDominates, "lower kl_weight");
  EXPECT_TRUE(alarms_of(report, {5, 2, 0.5, true, true}).empty());  // as a mean it may be large
}

TEST(Alarms, WhatTheObjectiveSaysIsPartOfThem) {
  EpochReport report = healthy();
  report.terms.cross_entropy = 0.25;
  report.terms.own = {{"cub", 2.7}};
  const std::vector<Alarm> alarms =
      epoch_alarms(report, context(), CubObjective({}, {BetaMode::kFixed, 1.2, 5}));
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].kind, AlarmKind::kObjective);
  EXPECT_NE(alarms[0].text.find("epoch 5: CUB-Loss with beta 1.2"), std::string::npos)
      << alarms[0].text;
}

TEST(Alarms, AccuracyAtChanceOnceAfterSoManyEpochs) {
  EpochReport report = healthy();
  report.validation[Metric::kAccuracy] = 0.505;
  report.validation[Metric::kBalancedAccuracy] = 0.51;
  expect_one(report, AlarmKind::kAtChance, "change learning_rate");
  report.epoch = 3;
  EXPECT_TRUE(alarms_of(report, context()).empty());
}

TEST(Alarms, TheAccuracyOfTheCommonestClassIsNotChanceWhereTheClassesAreToldApart) {
  EpochReport report = healthy();
  report.validation[Metric::kAccuracy] = 0.5;  // as class weights make of a common class
  report.validation[Metric::kBalancedAccuracy] = 0.65;
  EXPECT_TRUE(alarms_of(report, context()).empty());
}

EpochReport one_answer_in(std::int64_t epoch) {
  EpochReport report = healthy();
  report.epoch = epoch;
  report.validation[Metric::kAccuracy] = 0.3;  // and not even the commonest
  report.validation[Metric::kBalancedAccuracy] = 0.5;
  return report;
}

TEST(Alarms, ANetworkThatFallsToOneAnswerIsToldOfInTheSecondEpoch) {
  AlarmContext falling = context();
  count_one_answer(one_answer_in(29), falling);
  EXPECT_TRUE(alarms_of(one_answer_in(29), falling).empty()) << "it may come back";
  count_one_answer(one_answer_in(30), falling);
  const std::vector<Alarm> alarms = alarms_of(one_answer_in(30), falling);
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0].kind, AlarmKind::kFellToOneAnswer);
  EXPECT_NE(alarms[0].text.find("epoch 31: for two epochs validation has been no better than one"),
            std::string::npos)
      << alarms[0].text;
  EXPECT_NE(alarms[0].text.find("lower beta"), std::string::npos) << alarms[0].text;
  falling.chance_after_epochs = 0;
  EXPECT_TRUE(alarms_of(one_answer_in(30), falling).empty()) << "nobody asked";
}

TEST(Alarms, ANetworkThatNeverKnewBetterHasNotFallen) {
  AlarmContext never = context();
  for (std::int64_t epoch = 0; epoch < 6; ++epoch) count_one_answer(one_answer_in(epoch), never);
  EXPECT_EQ(never.epochs_of_one_answer, 6);
  EXPECT_TRUE(alarms_of(one_answer_in(5), never).empty());
}

TEST(Alarms, EpochsOfOneAnswerAreCountedAnewAfterABetterOne) {
  AlarmContext context;
  count_one_answer(one_answer_in(7), context);
  count_one_answer(healthy(), context);
  count_one_answer(one_answer_in(9), context);
  EXPECT_EQ(context.epochs_of_one_answer, 1);
}

TEST(Alarms, OneAnswerIsToldByTheRecallOfTheClassesThereAre) {
  EpochReport report = healthy();
  report.validation[Metric::kBalancedAccuracy] = 0.03;
  EXPECT_FALSE(no_better_than_one_answer(report, 50)) << "better than chance";
  EXPECT_TRUE(no_better_than_one_answer(report, 34));
  EXPECT_FALSE(no_better_than_one_answer(report, 1)) << "one class has no other answer";
  report.validation[Metric::kBalancedAccuracy].reset();
  EXPECT_FALSE(no_better_than_one_answer(report, 2));
}

TEST(Alarms, ABrokenLossNamesItsTermAndWhatToDo) {
  LossTerms terms;
  terms.kl = std::numeric_limits<double>::infinity();
  const std::string text = loss_not_finite(terms, {}, 2, 6, 10, 0.25).what();
  EXPECT_NE(text.find("stage 2, epoch 7, step 11"), std::string::npos) << text;
  EXPECT_NE(text.find("KL term broke"), std::string::npos) << text;
  EXPECT_NE(text.find("lower learning_rate"), std::string::npos) << text;
  EXPECT_NE(text.find("last good checkpoint was kept"), std::string::npos) << text;
}

TEST(Alarms, AClassMissingFromASplitIsTold) {
  ImageSet set{"tiny", {"a", "b"}, {}};
  set.splits.push_back(
      {"train", at::zeros({2, 1, 8, 8}, at::kByte), at::tensor({0, 1}, at::kLong), {}, false});
  set.splits.push_back(
      {"val", at::ones({2, 1, 8, 8}, at::kByte), at::tensor({0, 0}, at::kLong), {}, false});
  const std::vector<SetFinding> findings = examine_image_set(set);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_FALSE(findings[0].is_leak);
  const std::string alarm = data_alarm(findings[0]);
  EXPECT_NE(alarm.find("no image of class 'b'"), std::string::npos) << alarm;
  EXPECT_NE(alarm.find("split the data by class"), std::string::npos) << alarm;
}

TEST(Alarms, ALeakSaysHowToGoOn) {
  ImageSet set{"tiny", {"a", "b"}, {}};
  for (const char* name : {"train", "val", "ood"}) {
    const bool outliers = name == std::string("ood");
    set.splits.push_back({name,
                          at::zeros({2, 1, 8, 8}, at::kByte),
                          outliers ? at::full({2}, -1, at::kLong) : at::tensor({0, 1}, at::kLong),
                          {},
                          outliers});
  }
  const std::vector<SetFinding> findings = examine_image_set(set);
  ASSERT_EQ(findings.size(), 3U);
  EXPECT_TRUE(findings[0].is_leak);
  EXPECT_FALSE(findings[1].is_leak) << "an outlier that stands elsewhere too";
  EXPECT_EQ(
      data_alarm(findings[1]),
      "1 image is in both split 'train' and split 'ood' of 'tiny': what was trained on is not an "
      "outlier");
  EXPECT_EQ(
      std::string(data_leak(findings[0]).what()),
      "1 image is in both split 'train' and split 'val' of 'tiny': what is measured on one of "
      "them will look too good; split the data by group, or set data.leaks = "
      "\"allow\" to train all the same");
}

}  // namespace
}  // namespace cubcal
