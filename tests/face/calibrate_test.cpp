#include "cubcal/calibrate.h"

#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/calibration/fit.h"
#include "cubcal/evaluate.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal::test {
namespace {

/// Far too sure of itself: a temperature helps.
LogitSet overconfident(std::uint64_t seed) {
  LogitShape shape;
  shape.samples = 400;
  shape.label_noise = 0.25;
  LogitSet set = random_logits(shape, seed);
  for (double& z : set.values) z *= 3;
  return set;
}

TEST(CalibrateArrays, TheMethodThatIsNamed) {
  const LogitSet set = overconfident(1);
  CalibrationOptions options;
  options.method = "dts";
  const Calibrator calibrator = calibrate(set.view(), set.labels, options);
  FitOptions fit;
  fit.method = CalibrationMethod::kDts;
  const Calibration expected = fit_calibration(set.view(), set.labels, fit).calibration;
  EXPECT_EQ(calibrator.method(), "dts");
  EXPECT_EQ(calibrator.t_high(), expected.t_high);
  EXPECT_EQ(calibrator.t_low(), expected.t_low);
}

TEST(CalibrateArrays, WithoutAMethodTheBestOutOfSample) {
  const LogitSet val = overconfident(2);
  const LogitSet test = overconfident(3);
  const Calibrator calibrator = calibrate(val.view(), val.labels);
  ASSERT_NE(calibrator.method(), "none");
  const EvaluationSummary before = evaluate(test.view(), test.labels);
  const EvaluationSummary after = evaluate(calibrator.apply(test.view()), test.labels);
  EXPECT_LT(*after["nll"].value, *before["nll"].value);
  EXPECT_LT(*after["ece"].value, *before["ece"].value);
}

TEST(CalibrateArrays, NoneIsNoChange) {
  const LogitSet set = overconfident(4);
  const Calibrator none;
  EXPECT_EQ(none.method(), "none");
  EXPECT_EQ(none.t_high(), 1);
  EXPECT_EQ(none.apply(set.view()).probabilities, predictive_of(set.view()).probabilities);
  expect_error<ArgumentError>([&] { none.save("x.json"); }, "no calibration to save");
}

TEST(CalibrateArrays, FilesRoundTrip) {
  const ScratchFolder scratch;
  const LogitSet set = overconfident(5);
  CalibrationOptions options;
  options.method = "ts-nll";
  const Calibrator calibrator = calibrate(set.view(), set.labels, options);
  calibrator.save(scratch.file("t.json"));
  const Calibrator loaded = Calibrator::load(scratch.file("t.json"));
  EXPECT_EQ(loaded.method(), "ts-nll");
  EXPECT_EQ(loaded.apply(set.view()).probabilities, calibrator.apply(set.view()).probabilities);
}

TEST(CalibrateArrays, ErrorsAreOneSentence) {
  const LogitSet set = overconfident(6);
  CalibrationOptions options;
  options.method = "platt";
  expect_error<ArgumentError>([&] { calibrate(set.view(), set.labels, options); }, "platt");
  options.method = "ts-nll";
  expect_error<DataError>([&] { calibrate(set.view(), {0}, options); }, "400");
}

}  // namespace
}  // namespace cubcal::test
