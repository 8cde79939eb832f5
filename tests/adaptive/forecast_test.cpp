#include "cubcal/adaptive/forecast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/core/seed_stream.h"
#include "cubcal/core/student_t.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

/// Passes with these probabilities, all positive.
SamplePasses passes_of(const std::vector<std::vector<double>>& probabilities) {
  SamplePasses passes(probabilities.front().size());
  for (std::vector<double> p : probabilities) {
    for (double& value : p) value = std::log(value);
    passes.add(p);
  }
  return passes;
}

std::vector<double> random_simplex_point(SeedStream& stream, std::size_t classes, double strength) {
  std::vector<double> p(classes);
  double sum = 0;
  for (double& value : p) sum += value = std::exp(strength * stream.normal());
  for (double& value : p) value /= sum;
  return p;
}

TEST(SamplePasses, MeanOfSoftmaxAtATemperature) {
  SamplePasses passes(2, 2.0);
  passes.add(std::vector<double>{1000, 1000 - 2 * std::log(3.0)});  // p = (3/4, 1/4)
  passes.add(std::vector<double>{0, 0});
  EXPECT_EQ(passes.count(), 2U);
  EXPECT_NEAR(passes.pass(0)[0], 0.75, 1e-12);
  EXPECT_NEAR(passes.mean()[0], 0.625, 1e-12);
  EXPECT_NEAR(passes.mean()[1], 0.375, 1e-12);
}

TEST(SamplePasses, RefusesWhatIsNoPass) {
  expect_error<ArgumentError>([] { SamplePasses(1); }, "class");
  expect_error<ArgumentError>([] { SamplePasses(3, 0.0); }, "temperature must be");
  SamplePasses passes(3);
  expect_error<ArgumentError>([&] { passes.add(std::vector<double>{1, 2}); }, "logits of a pass");
  expect_error<DataError>([&] { passes.add(std::vector<double>{1, NAN, 2}); }, "must be finite");
  EXPECT_EQ(passes.count(), 0U);
}

TEST(MeanForecast, FollowsItsFormula) {
  // Two passes of S = 10, K = 2: mean (0.7, 0.3), x_t = p_t0/0.7 - p_t1/0.3 = +-0.1 (1/0.7 +
  // 1/0.3).
  const SamplePasses passes = passes_of({{0.8, 0.2}, {0.6, 0.4}});
  const MeanForecast forecast(passes, 10);
  const double finite = std::sqrt(0.5 - 0.1);  // sqrt(1/s - 1/S)
  const double sd = std::sqrt(2.0) * 0.1 * (1 / 0.7 + 1 / 0.3);
  EXPECT_NEAR(forecast.chance_of_other_class(),
              student_tail(std::log(0.7 / 0.3) / (sd * finite), 1), 1e-12);
  const double rest_sd = std::sqrt(2.0) * 0.1 / 0.3;
  EXPECT_NEAR(forecast.chance_of_crossing_confidence(0.6),
              student_tail(std::log(0.4 / 0.3) / (rest_sd * finite), 1), 1e-12);
  const double entropy = forecast.now().entropy;
  const double tangent_sd = std::sqrt(2.0) * 0.1 * std::log(0.7 / 0.3) / entropy;
  EXPECT_NEAR(forecast.chance_of_crossing_entropy(0.3),
              student_tail(std::log(entropy / 0.3) / (tangent_sd * finite), 1), 1e-12);
}

TEST(MeanForecast, BelowALevelEveryClassMayRise) {
  const SamplePasses passes =
      passes_of({{0.4, 0.35, 0.25}, {0.2, 0.65, 0.15}, {0.6, 0.2, 0.2}, {0.4, 0.3, 0.3}});
  const MeanForecast forecast(passes, 40);
  // Class 0 alone, which is predicted, with the same formula.
  const double rest = 0.6;
  const std::vector<double> x{0.6 / rest, 0.8 / rest, 0.4 / rest, 0.6 / rest};
  const double variance = 2 * (0.2 / rest) * (0.2 / rest) / 3;
  const double alone = student_tail(std::log(rest / 0.5) / std::sqrt(variance * (0.25 - 0.025)), 3);
  EXPECT_EQ(forecast.now().predicted, 0);
  EXPECT_GT(forecast.chance_of_crossing_confidence(0.5), 1.3 * alone);
  EXPECT_LE(forecast.chance_of_crossing_confidence(0.5), 1);
}

TEST(MeanForecast, OnePassKnowsNothing) {
  const SamplePasses passes = passes_of({{0.98, 0.01, 0.01}});
  const MeanForecast forecast(passes, 80);
  EXPECT_EQ(forecast.chance_of_other_class(), 1);
  EXPECT_EQ(forecast.chance_of_crossing_entropy(0.325), 1);
  EXPECT_EQ(forecast.chance_of_crossing_confidence(0.9), 1);
}

TEST(MeanForecast, EqualPassesOnAThresholdAreNotSettled) {
  const SamplePasses passes = passes_of({{0.5, 0.5}, {0.5, 0.5}, {0.5, 0.5}});
  const MeanForecast forecast(passes, 10);
  EXPECT_EQ(forecast.now().predicted, 0);
  EXPECT_EQ(forecast.chance_of_other_class(), 1);
  EXPECT_EQ(forecast.chance_of_crossing_confidence(0.5), 1);
}

TEST(MeanForecast, SaturatedPassesAreUnlikelyButNotImpossibleToChange) {
  SamplePasses passes(3);
  for (int s = 0; s < 8; ++s) passes.add(std::vector<double>{2000, 0, 0});
  const MeanForecast forecast(passes, 80);
  for (const double chance :
       {forecast.chance_of_other_class(), forecast.chance_of_crossing_confidence(0.9),
        forecast.chance_of_crossing_entropy(0.325)}) {
    EXPECT_GT(chance, 0);
    EXPECT_LT(chance, 1e-100);
  }
}

TEST(MeanForecast, NothingCanOverturnAMajorityThatIsSure) {
  SamplePasses passes(4);
  std::size_t needed = 0;
  while (needed == 0 && passes.count() < 80) {
    passes.add(std::vector<double>{0, 2000, 0, 0});
    if (MeanForecast(passes, 80).chance_of_other_class() == 0) needed = passes.count();
  }
  EXPECT_EQ(needed, 41U);
}

TEST(MeanForecast, AThresholdThatNoEntropyReachesIsSettled) {
  const SamplePasses passes = passes_of({{0.3, 0.3, 0.4}, {0.2, 0.5, 0.3}});
  EXPECT_EQ(MeanForecast(passes, 80).chance_of_crossing_entropy(std::log(3.0) + 0.01), 0);
  EXPECT_GT(MeanForecast(passes, 80).chance_of_crossing_entropy(std::log(3.0) - 0.01), 0);
}

double entropy_of(const std::vector<double>& p) { return summarise(p.data(), p.size()).entropy; }

// A chance of 0 says that no passes to come lead to the other side: held against many that might.
TEST(MeanForecast, ImpossibleMeansImpossible) {
  SeedStream stream(11, 0);
  int impossible = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t classes = 2 + stream.below(5);
    const std::size_t total = 20;
    const std::size_t seen = 2 + stream.below(18);
    SamplePasses passes(classes);
    for (std::size_t s = 0; s < seen; ++s) {
      std::vector<double> logits(classes);
      for (double& z : logits) z = 3 * stream.normal();
      logits[0] += 4;
      passes.add(logits);
    }
    const MeanForecast forecast(passes, total);
    const double level = 0.9 * stream.uniform();
    const bool no_class = forecast.chance_of_other_class() == 0;
    const bool no_confidence = forecast.chance_of_crossing_confidence(level) == 0;
    const bool no_entropy = forecast.chance_of_crossing_entropy(level) == 0;
    impossible += no_class + no_confidence + no_entropy;
    for (int future = 0; future < 60; ++future) {
      // Corners, which are the extremes of all but the largest entropy, and points between.
      std::vector<double> r(classes, 0.0);
      if (static_cast<std::size_t>(future) < classes) {
        r[static_cast<std::size_t>(future)] = 1;
      } else {
        r = random_simplex_point(stream, classes, 0.1 * future);
      }
      std::vector<double> mean = passes.mean();
      for (std::size_t k = 0; k < classes; ++k) {
        mean[k] = (static_cast<double>(seen) * mean[k] + static_cast<double>(total - seen) * r[k]) /
                  static_cast<double>(total);
      }
      const Summary later = summarise(mean.data(), classes);
      if (no_class) {
        EXPECT_EQ(later.predicted, forecast.now().predicted);
      }
      if (no_confidence) {
        EXPECT_EQ(later.confidence > level, forecast.now().confidence > level);
      }
      if (no_entropy) {
        EXPECT_EQ(later.entropy > level, forecast.now().entropy > level);
      }
    }
  }
  EXPECT_GT(impossible, 300);
}

// The bound on the entropy is not only safe but the best there is: a little inside it, some future
// does cross.
TEST(MeanForecast, TheLargestEntropyIsReached) {
  const SamplePasses passes = passes_of({{0.9, 0.08, 0.02}, {0.9, 0.08, 0.02}});
  const std::size_t total = 3;
  double reached = 0;
  for (int i = 0; i <= 200; ++i) {
    for (int j = 0; i + j <= 200; ++j) {
      const std::vector<double> r{i / 200.0, j / 200.0, (200 - i - j) / 200.0};
      const std::vector<double> m = passes.mean();
      reached = std::max(reached, entropy_of({(2 * m[0] + r[0]) / 3, (2 * m[1] + r[1]) / 3,
                                              (2 * m[2] + r[2]) / 3}));
    }
  }
  EXPECT_GT(MeanForecast(passes, total).chance_of_crossing_entropy(reached - 1e-4), 0);
  EXPECT_EQ(MeanForecast(passes, total).chance_of_crossing_entropy(reached + 1e-4), 0);
}

// For independent normal quantities, whose mean may lie anywhere, the forecast is exact: as many
// cross as were predicted to. Passes of two classes near the middle of the simplex are nearly that.
TEST(MeanForecast, ChancesAreRightForNormalPasses) {
  SeedStream stream(5, 0);
  constexpr int trials = 20000;
  constexpr std::size_t total = 20;
  double predicted = 0;
  int crossed = 0;
  for (int trial = 0; trial < trials; ++trial) {
    SamplePasses passes(2);
    const double centre = 0.4 + 0.2 * stream.uniform();
    double sum = 0;
    for (std::size_t s = 0; s < total; ++s) {
      const double p = centre + 0.03 * stream.normal();
      sum += p;
      if (s < 8) passes.add(std::vector<double>{std::log(p), std::log(1 - p)});
    }
    const MeanForecast forecast(passes, total);
    predicted += forecast.chance_of_other_class();
    crossed += (sum / static_cast<double>(total) > 0.5) != (forecast.now().predicted == 0);
  }
  EXPECT_GT(crossed, 200);
  EXPECT_NEAR(predicted / crossed, 1, 0.1);
}

}  // namespace
}  // namespace cubcal::test
