// What the report works out itself: curves, thinning, referral, the objective map.

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/calibration/fit.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/metrics/classification.h"
#include "cubcal/metrics/detection.h"
#include "cubcal/report/detection_curves.h"
#include "cubcal/report/objective_map.h"
#include "cubcal/report/referral.h"
#include "cubcal/report/thinning.h"
#include "report/example_run.h"

namespace cubcal::report {
namespace {

SampleFacts facts_of(const LogitsFile& file) {
  return sample_facts(predict(McLogits(file.logits)), file.labels, {});
}

TEST(DetectionCurves, EnclosesTheAreaOfTheMetric) {
  const std::vector<double> id = {0.1, 0.2, 0.2, 0.4, 0.7};
  const std::vector<double> ood = {0.2, 0.5, 0.7, 0.9};
  const DetectionCurves curves = detection_curves(id, ood);
  EXPECT_EQ(curves.false_alarms.back(), 1);
  EXPECT_EQ(curves.caught.back(), 1);
  double area = 0;
  for (std::size_t i = 1; i < curves.caught.size(); ++i) {
    area += 0.5 * (curves.caught[i] + curves.caught[i - 1]) *
            (curves.false_alarms[i] - curves.false_alarms[i - 1]);
  }
  EXPECT_NEAR(area, detection_metrics(id, ood)->auroc, 1e-12);
  EXPECT_EQ(curves.precision.front(), 1);  // 0.9 is an outlier
  EXPECT_NEAR(curves.precision.back(), 4.0 / 9, 1e-12);
}

TEST(Thinning, KeepsAllWhereThereIsRoom) {
  const SampleFacts facts = facts_of(example_logits(1));
  const Thinned all = thinned_samples(facts, 200);
  EXPECT_TRUE(all.is_whole());
  EXPECT_EQ(all.right.size() + all.wrong.size(), 200U);
}

TEST(Thinning, FavoursWrongAnswersAndIsSpreadEvenly) {
  const SampleFacts facts = facts_of(example_logits(1, 4000));
  const Thinned few = thinned_samples(facts, 100);
  EXPECT_EQ(few.right.size(), 50U);
  EXPECT_EQ(few.wrong.size(), 50U);
  EXPECT_GT(few.all_right, few.all_wrong);
  double mean = 0;
  double shown_mean = 0;
  for (std::size_t i = 0; i < facts.samples; ++i) {
    if (facts.correct[i]) mean += facts.entropy[i] / static_cast<double>(few.all_right);
  }
  for (const std::uint32_t i : few.right) {
    EXPECT_TRUE(facts.correct[i]);
    shown_mean += facts.entropy[i] / static_cast<double>(few.right.size());
  }
  EXPECT_NEAR(shown_mean, mean, 0.02);
  EXPECT_EQ(thinned_samples(facts, 100).right, few.right);
}

TEST(Thinning, FewMistakesLeaveTheirRoomToRightAnswers) {
  const SampleFacts facts = facts_of(example_logits(1, 1000, 6, 5));
  const Thinned few = thinned_samples(facts, 100);
  EXPECT_EQ(few.wrong.size(), few.all_wrong);
  EXPECT_EQ(few.right.size(), 100 - few.all_wrong);
}

TEST(Referral, TriesTheThresholdOfValidationOnTest) {
  const SampleFacts validation = facts_of(example_logits(20, 2000));
  const SampleFacts test = facts_of(example_logits(10, 2000));
  const Referral referral = find_referral(test, &validation, 0.05);
  ASSERT_TRUE(referral.threshold);
  EXPECT_TRUE(referral.from_validation);
  std::size_t answered = 0;
  std::size_t errors = 0;
  for (std::size_t i = 0; i < validation.samples; ++i) {
    if (validation.entropy[i] > *referral.threshold) continue;
    ++answered;
    errors += validation.correct[i] == 0;
  }
  EXPECT_LE(static_cast<double>(errors), 0.05 * static_cast<double>(answered));
  EXPECT_NEAR(referral.share_referred, 1 - static_cast<double>(referral.answered) / 2000, 1e-12);
  EXPECT_LE(referral.error_rate->low, 0.05);
  EXPECT_FALSE(find_referral(test, nullptr, 0.05).from_validation);
}

TEST(Referral, NothingIsAnsweredWhereNoShareMeetsTheTarget) {
  LogitsFile file = example_logits(1, 50);
  for (std::int64_t& label : file.labels) label = 0;
  SampleFacts facts = facts_of(file);
  std::fill(facts.correct.begin(), facts.correct.end(), std::uint8_t{0});
  const Referral referral = find_referral(facts, nullptr, 0.05);
  EXPECT_FALSE(referral.threshold);
  EXPECT_EQ(referral.share_referred, 1);
  EXPECT_FALSE(referral.error_rate);
}

TEST(ObjectiveMap, AgreesWithTheMetricsAndShowsTheDegenerateCorner) {
  const LogitsFile file = example_logits(20, 300);
  const McLogits logits(file.logits);
  FitOptions options;
  options.method = CalibrationMethod::kDts;
  const Calibration fit = fit_calibration(logits, file.labels, options).calibration;
  const Predictive plain = predict(logits);
  const ObjectiveMap map = objective_map(logits, file.labels, plain, fit);
  const SampleFacts facts = sample_facts(plain, file.labels, {});
  const std::size_t start = map.index(0, map.t_high.size() - 1);
  EXPECT_EQ(map.t_high.back(), 1);
  EXPECT_EQ(map.t_low.front(), 1);
  EXPECT_NEAR(map.bcce[start], boundary_curve_calibration_error(facts).value, 1e-6);
  EXPECT_NEAR(map.nll_at_one, negative_log_likelihood(facts), 1e-6);
  const std::size_t corner = map.index(map.t_low.size() - 1, 0);
  EXPECT_LT(map.bcce[corner], 0.1 * map.bcce[start]);
  EXPECT_GT(map.nll[corner], 1.5 * map.nll[start]);
  EXPECT_TRUE(objective_map(logits, {}, plain, fit).nll.empty());
}

}  // namespace
}  // namespace cubcal::report
