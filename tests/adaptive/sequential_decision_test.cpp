#include "cubcal/adaptive/sequential_decision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/core/seed_stream.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

using Passes = std::vector<std::vector<double>>;

Passes gaussian_passes(const std::vector<double>& centre, double noise, std::size_t count,
                       std::uint64_t seed = 1) {
  SeedStream stream(seed, 0);
  Passes passes(count, centre);
  for (std::vector<double>& pass : passes) {
    for (double& z : pass) z += noise * stream.normal();
  }
  return passes;
}

SequentialDecision after(const Passes& passes, std::size_t total,
                         const AdaptiveOptions& adaptive = {}, const DecisionOptions& decision = {},
                         const Calibration* calibration = nullptr) {
  SequentialDecision sequence(passes.front().size(), total, adaptive, decision, calibration);
  for (const std::vector<double>& pass : passes) sequence.add_pass(pass);
  return sequence;
}

Calibration dual(double t_high, double t_low, std::size_t classes = 3) {
  Calibration calibration;
  calibration.method = CalibrationMethod::kDts;
  calibration.classes = classes;
  calibration.thresholds = thresholds_from_eta(kDefaultEta, classes);
  calibration.t_high = t_high;
  calibration.t_low = t_low;
  return calibration;
}

TEST(NextLook, GoesByBlocksToTheEnd) {
  AdaptiveOptions options;
  options.first = 8;
  options.block = 5;
  std::vector<std::size_t> looks;
  for (std::size_t s = 0; s < 21;) looks.push_back(s = next_look(s, 21, options));
  EXPECT_EQ(looks, (std::vector<std::size_t>{8, 13, 18, 21}));
  EXPECT_EQ(next_look(0, 5, options), 5U) << "fewer passes than the first block";
  EXPECT_EQ(next_look(0, 1, options), 1U);
  options.block = static_cast<std::size_t>(-1);
  EXPECT_EQ(next_look(8, 21, options), 21U);
}

TEST(SequentialDecision, RefusesOptionsOutsideTheirDomain) {
  const auto make = [](double error, std::size_t first, std::size_t block, double eta,
                       double gamma) {
    AdaptiveOptions adaptive;
    adaptive.error = error;
    adaptive.first = first;
    adaptive.block = block;
    return SequentialDecision(3, 80, adaptive, {eta, gamma});
  };
  expect_error<ArgumentError>([&] { make(-0.1, 8, 4, 0.3, 0.9); }, "error of adaptive passes");
  expect_error<ArgumentError>([&] { make(0.6, 8, 4, 0.3, 0.9); }, "error of adaptive passes");
  expect_error<ArgumentError>([&] { make(0.1, 1, 4, 0.3, 0.9); }, "before the first look");
  expect_error<ArgumentError>([&] { make(0.1, 8, 0, 0.3, 0.9); }, "between looks");
  expect_error<ArgumentError>([&] { make(0.1, 8, 4, -0.3, 0.9); }, "uncertainty threshold");
  expect_error<ArgumentError>([&] { make(0.1, 8, 4, 0.3, 1.0); }, "gamma");
  expect_error<ArgumentError>([] { SequentialDecision(3, 0, {}, {}); }, "number of passes");
  const Calibration calibration = dual(0.5, 2, 4);
  expect_error<DataError>([&] { SequentialDecision(3, 80, {}, {}, &calibration); },
                          "fitted for 4 classes");
}

TEST(SequentialDecision, ClearPassesSettleEarlyAndCloseOnesDoNot) {
  const SequentialDecision clear = after(gaussian_passes({8, 0, 0}, 0.5, 8), 80);
  EXPECT_TRUE(clear.settled());
  EXPECT_EQ(clear.decision(), (McDecision{0, false, true}));
  const SequentialDecision vague = after(gaussian_passes({0, 3, 2.8}, 0.5, 8), 80);
  EXPECT_FALSE(vague.settled());
  EXPECT_GT(vague.risk(), 0.005);
  EXPECT_EQ(vague.decision().refer, true);
}

TEST(SequentialDecision, EachOfTheThreeSidesHoldsItBack) {
  // Between gamma = 0.9 and eta: c near 0.9, and U far from a threshold of its own.
  const Passes passes = gaussian_passes({2.2, 0}, 0.3, 8);  // K = 2, c about 0.9, U about 0.32
  EXPECT_FALSE(after(passes, 80, {}, {0.6, 0.9}).settled());
  EXPECT_FALSE(after(passes, 80, {}, {0.325, std::nullopt}).settled());
  EXPECT_TRUE(after(passes, 80, {}, {0.6, std::nullopt}).settled());
  const Passes tie = gaussian_passes({1, 1}, 0.3, 8);
  EXPECT_FALSE(after(tie, 80, {}, {0.1, std::nullopt}).settled()) << "the class is open";
}

TEST(SequentialDecision, TiesWaitForTheEnd) {
  SequentialDecision sequence(2, 20, {}, {0.1, std::nullopt});
  for (std::size_t s = 1; s <= 20; ++s) {
    sequence.add_pass(std::vector<double>{0, 0});
    EXPECT_EQ(sequence.settled(), s == 20) << s;
  }
  EXPECT_EQ(sequence.decision().predicted, 0) << "the lowest index of equals";
}

TEST(SequentialDecision, AllPassesSettleWhateverTheyAre) {
  AdaptiveOptions exact;
  exact.error = 0;
  EXPECT_TRUE(after(gaussian_passes({0, 0, 0}, 1, 1), 1, exact).settled());
  EXPECT_TRUE(after(gaussian_passes({0, 0, 0}, 1, 5), 5, exact).settled());
  EXPECT_EQ(after(gaussian_passes({0, 0, 0}, 1, 5), 5, exact).risk(), 0);
}

TEST(SequentialDecision, WithoutErrorEqualPassesStillHaveToBeDrawn) {
  AdaptiveOptions exact;
  exact.error = 0;
  const Passes equal(8, {9, 0, 0});
  EXPECT_FALSE(after(equal, 80, exact).settled());
  EXPECT_TRUE(after(equal, 80).settled());
}

TEST(SequentialDecision, TheOrderOfPassesDoesNotMatter) {
  Passes passes = gaussian_passes({3, 1, 0, 0}, 1, 12);
  const double risk = after(passes, 40).risk();
  std::reverse(passes.begin(), passes.end());
  EXPECT_NEAR(after(passes, 40).risk() / risk, 1, 1e-9);
}

TEST(SequentialDecision, TheLimitRisesWithThePasses) {
  const Passes passes = gaussian_passes({4.5, 0, 0}, 0.5, 10);
  const double risk = after(passes, 40).risk();
  ASSERT_GT(risk, 0);
  ASSERT_LT(risk, 0.1);
  AdaptiveOptions options;
  options.error = risk / (10.0 / 40.0) * 1.001;
  EXPECT_TRUE(after(passes, 40, options).settled());
  options.error = risk / (10.0 / 40.0) * 0.999;
  EXPECT_FALSE(after(passes, 40, options).settled());
}

TEST(SequentialDecision, OneTemperatureScalesThePasses) {
  Calibration calibration = dual(2, 2);
  calibration.method = CalibrationMethod::kTsNll;
  const Passes passes = gaussian_passes({5, 1, 0}, 0.5, 8);
  Passes halved = passes;
  for (std::vector<double>& pass : halved) {
    for (double& z : pass) z /= 2;
  }
  const SequentialDecision scaled = after(passes, 80, {}, {}, &calibration);
  EXPECT_NEAR(scaled.risk() / after(halved, 80).risk(), 1, 1e-9);
  EXPECT_EQ(scaled.decision(), after(halved, 80).decision());
}

// The unscaled mean lies on the border of the regions. At t_high and t_low the decisions differ, so
// it must go on; with temperatures that agree, the border does not matter.
TEST(SequentialDecision, TheRegionMattersWhereTheTemperaturesDisagree) {
  const Passes border = gaussian_passes({3.1, 0, 0}, 0.3, 8);
  const SequentialDecision plain = after(border, 80);
  EXPECT_FALSE(plain.settled());
  const Calibration apart = dual(0.3, 3);
  EXPECT_FALSE(after(border, 80, {}, {}, &apart).settled());
  const Calibration agreeing = dual(0.3, 0.35);
  EXPECT_TRUE(after(border, 80, {}, {}, &agreeing).settled());
}

TEST(SequentialDecision, TheDualDecisionIsThatOfTheRegionsTemperature) {
  const Calibration calibration = dual(0.5, 5);
  const Passes sure = gaussian_passes({6, 0, 0}, 0.3, 8);
  EXPECT_EQ(after(sure, 80, {}, {}, &calibration).decision(), (McDecision{0, false, true}));
  EXPECT_TRUE(after(sure, 80, {}, {}, &calibration).settled());
  // Softened by 5 the same height is uncertain; a region that is settled settles it.
  const Passes unsure = gaussian_passes({2, 0, 0}, 0.1, 8);
  EXPECT_EQ(after(unsure, 80, {}, {}, &calibration).decision(), (McDecision{0, true, false}));
  EXPECT_TRUE(after(unsure, 80, {}, {}, &calibration).settled());
}

}  // namespace
}  // namespace cubcal::test
