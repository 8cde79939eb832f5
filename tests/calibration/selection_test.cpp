#include "cubcal/calibration/selection.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::LogitSet;
using test::LogitShape;
using test::random_logits;

/// Logits from which the labels were drawn, times `scale`: calibrated at T = scale.
LogitSet drawn_from_itself(std::uint64_t seed, double scale) {
  LogitShape shape;
  shape.passes = 3;
  shape.samples = 1200;
  shape.strength = 1.5;
  shape.pass_noise = 0.2;
  LogitSet set = random_logits(shape, seed);
  const Predictive truth = predict(set.view());
  SeedStream stream(seed, 77);
  for (std::size_t i = 0; i < set.samples; ++i) {
    double u = stream.uniform();
    std::size_t label = 0;
    while (label < 2 && u >= truth.probabilities[i * 3 + label]) {
      u -= truth.probabilities[i * 3 + label++];
    }
    set.labels[i] = static_cast<std::int64_t>(label);
  }
  for (double& value : set.values) value *= scale;
  return set;
}

SelectionOptions quick() {
  SelectionOptions options;
  options.fit.grid = 61;
  options.bootstrap.replicates = 200;
  return options;
}

TEST(Selection, FindsWhatHelpsOverconfidentLogits) {
  const LogitSet set = drawn_from_itself(1, 3);
  const CalibrationSelection selection = select_calibration(set.view(), set.labels, {}, quick());
  ASSERT_EQ(selection.candidates.size(), kCalibrationMethods.size());
  ASSERT_TRUE(selection.best);
  const CalibrationCandidate& best = selection.candidates[*selection.best];
  EXPECT_EQ(best.fit.calibration.method, CalibrationMethod::kTsNll);
  EXPECT_NEAR(best.fit.calibration.t_high, 3, 0.4);
  EXPECT_EQ(best.held_out.change(Metric::kNll), 1);
  EXPECT_TRUE(best.held_out.worse().empty());
  EXPECT_EQ(selection.folds, 5U);
  EXPECT_EQ(selection.samples, 1200U);
}

TEST(Selection, LeavesCalibratedLogitsAlone) {
  int chosen = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const LogitSet set = drawn_from_itself(seed, 1);
    const CalibrationSelection selection = select_calibration(set.view(), set.labels, {}, quick());
    chosen += selection.best.has_value();
    // The methods that follow BCCE alone leave the truth.
    const CalibrationEffect& dts = selection.candidates[2].held_out;
    EXPECT_EQ(dts.change(Metric::kNll), -1) << seed;
  }
  EXPECT_LE(chosen, 1) << "there is nothing to gain";
}

TEST(Selection, EveryPredictionIsHeldOut) {
  // Labels of chance: what is fitted to them cannot help samples it has not seen.
  LogitShape shape;
  shape.samples = 60;
  LogitSet set = random_logits(shape, 3);
  SeedStream stream(3, 9);
  for (std::int64_t& label : set.labels) label = stream.below(3);
  const CalibrationSelection selection = select_calibration(set.view(), set.labels, {}, quick());
  const CalibrationCandidate& nll = selection.candidates[0];
  EXPECT_GE(*nll.held_out.after[Metric::kNll], nll.fit.calibration.objective_after);
}

// The folds' temperatures differ, and a ranking that mixes them is nobody's.
TEST(Selection, RanksByOneCalibration) {
  const LogitSet set = drawn_from_itself(4, 3);
  const CalibrationSelection selection = select_calibration(set.view(), set.labels, {}, quick());
  for (const CalibrationCandidate& candidate : selection.candidates) {
    const Predictive deployed =
        apply_calibration(candidate.fit.calibration, set.view(), predict(set.view()));
    const MetricValues values = metric_values(sample_facts(deployed, set.labels, {}));
    EXPECT_EQ(candidate.held_out.after[Metric::kAurc], values[Metric::kAurc]);
    if (candidate.fit.calibration.method == CalibrationMethod::kTsNll) {
      EXPECT_NE(candidate.held_out.after[Metric::kNll], values[Metric::kNll]);
    }
  }
}

TEST(Selection, NeedsTwoGroups) {
  const LogitSet set = random_logits({}, 4);
  test::expect_error<DataError>(
      [&] {
        select_calibration(set.view(), set.labels, std::vector<std::string>(set.samples, "a"),
                           quick());
      },
      "all samples are of one group");
}

TEST(Selection, MarksChangesByTheirInterval) {
  CalibrationEffect effect;
  const auto set_interval = [&](Metric metric, double low, double high) {
    effect.difference[static_cast<std::size_t>(metric)] = Interval{low, high, 10};
  };
  set_interval(Metric::kNll, 0.1, 0.2);
  set_interval(Metric::kEce, -0.2, -0.1);
  set_interval(Metric::kAccuracy, -0.2, -0.1);
  set_interval(Metric::kBrier, -0.1, 0.1);
  EXPECT_EQ(effect.change(Metric::kNll), -1);
  EXPECT_EQ(effect.change(Metric::kEce), 1);
  EXPECT_EQ(effect.change(Metric::kAccuracy), -1);
  EXPECT_EQ(effect.change(Metric::kBrier), 0);
  EXPECT_EQ(effect.change(Metric::kUce), 0) << "undefined";
  EXPECT_EQ(effect.better(), std::vector<Metric>{Metric::kEce});
  EXPECT_EQ(effect.worse(), (std::vector<Metric>{Metric::kAccuracy, Metric::kNll}));
  effect.before[Metric::kNll] = 0.5;
  effect.after[Metric::kNll] = 0.52;
  EXPECT_EQ(effect.worse(), std::vector<Metric>{Metric::kAccuracy}) << "4% more NLL";
  effect.after[Metric::kNll] = 0.53;
  EXPECT_EQ(effect.worse().size(), 2U) << "6% more NLL";
}

}  // namespace
}  // namespace cubcal
