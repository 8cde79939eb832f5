#include "cubcal/calibration/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cubcal/core/error.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/metrics/classification.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::expect_error;
using test::LogitSet;
using test::LogitShape;
using test::random_logits;
using test::Threads;

// Objectives within 1e-12 are equal: a first grid and three refinements may each give up that much.
constexpr double kTies = 4e-12;

FitOptions with_method(CalibrationMethod method) {
  FitOptions options;
  options.method = method;
  return options;
}

FitResult fit(const LogitSet& set, const FitOptions& options) {
  return fit_calibration(set.view(), set.labels, options);
}

struct Quality {
  double bcce;
  double nll;
};

Quality quality(const LogitSet& set, const std::vector<double>& temperatures,
                const FitOptions& options = {}) {
  MetricOptions metric_options;
  metric_options.gamma = options.gamma;
  metric_options.bins = options.bins;
  const SampleFacts facts =
      sample_facts(predict(set.view(), temperatures), set.labels, metric_options);
  return {boundary_curve_calibration_error(facts).value, negative_log_likelihood(facts)};
}

Quality quality(const LogitSet& set, const Calibration& calibration,
                const FitOptions& options = {}) {
  return quality(set, sample_temperatures(calibration, predict(set.view())), options);
}

/// Sets of many kinds: few and many classes, sure and unsure, right and wrong.
LogitSet varied_logits(std::uint64_t seed) {
  SeedStream stream(seed, 1234);
  LogitShape shape;
  shape.passes = 1 + stream.below(6);
  shape.samples = 1 + stream.below(200);
  shape.classes = 3 + stream.below(6);
  shape.strength = 8 * stream.uniform();
  shape.noise = 2 * stream.uniform();
  shape.pass_noise = 2 * stream.uniform();
  shape.label_noise = stream.uniform();
  return random_logits(shape, seed);
}

void expect_inside(const TemperatureBox& box, double temperature) {
  EXPECT_GE(temperature, box.low);
  EXPECT_LE(temperature, box.high);
}

TEST(Fit, IsNeverWorseThanNoScalingOnItsOwnSet) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const LogitSet set = varied_logits(seed);
    for (const CalibrationMethod method : kCalibrationMethods) {
      const Calibration calibration = fit(set, with_method(method)).calibration;
      const Quality before = quality(set, std::vector<double>{1.0});
      const Quality after = quality(set, calibration);
      const bool by_nll = method == CalibrationMethod::kTsNll;
      EXPECT_LE(by_nll ? after.nll : after.bcce, (by_nll ? before.nll : before.bcce) + kTies)
          << method_name(method) << " " << seed;
      EXPECT_EQ(calibration.objective_before, by_nll ? before.nll : before.bcce);
      EXPECT_EQ(calibration.objective_after, by_nll ? after.nll : after.bcce);
      EXPECT_EQ(calibration.samples, set.samples);
      EXPECT_EQ(calibration.classes, set.classes);
    }
  }
}

TEST(Fit, IsNeverWorseInAnyBoxThatHoldsOne) {
  const TemperatureBox boxes[] = {{0.3, 1.7},  {0.07, 1.0}, {0.9, 1.0001}, {1.0, 1.0},
                                  {1.0, 49.0}, {0.49, 3.3}, {0.01, 107.0}, {1 / 1.1, 1.1}};
  std::uint64_t seed = 100;
  for (const TemperatureBox& high : boxes) {
    for (const TemperatureBox& low : boxes) {
      const LogitSet set = varied_logits(++seed);
      FitOptions options = with_method(CalibrationMethod::kDts);
      options.box_high = high;
      options.box_low = low;
      options.grid = 2 + seed % 40;
      const Calibration calibration = fit(set, options).calibration;
      EXPECT_LE(quality(set, calibration).bcce, quality(set, std::vector<double>{1.0}).bcce + kTies)
          << seed;
      expect_inside(high, calibration.t_high);
      expect_inside(low, calibration.t_low);
      EXPECT_EQ(calibration.box_high.low, high.low);
      EXPECT_EQ(calibration.box_low.high, low.high);
      options.method = CalibrationMethod::kTsBcce;
      options.box = high;
      const Calibration scalar = fit(set, options).calibration;
      EXPECT_LE(scalar.objective_after, scalar.objective_before + kTies);
      EXPECT_EQ(scalar.t_high, scalar.t_low);
      expect_inside(high, scalar.t_high);
    }
  }
}

TEST(Fit, KeepsTheBoundOnNllThatItPromises) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const LogitSet set = varied_logits(seed + 1000);
    for (const double tolerance : {0.0, 0.02, 0.3}) {
      FitOptions options = with_method(CalibrationMethod::kDtsGuarded);
      options.nll_tolerance = tolerance;
      const Calibration calibration = fit(set, options).calibration;
      EXPECT_LE(quality(set, calibration).nll,
                (1 + tolerance) * quality(set, std::vector<double>{1.0}).nll * (1 + 1e-9))
          << seed << " " << tolerance;
      EXPECT_EQ(calibration.nll_tolerance, tolerance);
    }
  }
}

LogitSet confused() {
  LogitShape shape;
  shape.samples = 400;
  shape.strength = 3;
  shape.label_noise = 0.3;
  return random_logits(shape, 5);
}

TEST(Fit, ShowsWhyBcceNeedsAGuard) {
  const LogitSet set = confused();
  FitOptions wide = with_method(CalibrationMethod::kDts);
  wide.box_high = TemperatureBox{0.02, 1};
  wide.box_low = TemperatureBox{1, 100};
  const Quality before = quality(set, std::vector<double>{1.0});
  const Quality unguarded = quality(set, fit(set, wide).calibration);
  EXPECT_GT(before.bcce, 0.01);
  EXPECT_LT(unguarded.bcce, 1e-3);
  EXPECT_GT(unguarded.nll, 1.5 * before.nll);
  wide.method = CalibrationMethod::kDtsGuarded;
  const Quality guarded = quality(set, fit(set, wide).calibration);
  EXPECT_LE(guarded.nll, 1.02 * before.nll * (1 + 1e-9));
  EXPECT_LT(guarded.bcce, before.bcce);
}

/// The best pair of a grid, each one predicted and measured from scratch.
Calibration brute_force(const LogitSet& set, const FitOptions& options,
                        std::optional<double> largest_nll) {
  Calibration best;
  best.method = options.method;
  best.classes = set.classes;
  best.thresholds = thresholds_from_eta(options.eta, set.classes);
  best.objective_after = std::numeric_limits<double>::infinity();
  Calibration candidate = best;
  for (const double t_high : temperature_grid(*options.box_high, options.grid)) {
    for (const double t_low : temperature_grid(*options.box_low, options.grid)) {
      candidate.t_high = t_high;
      candidate.t_low = t_low;
      const Quality found = quality(set, candidate, options);
      if (largest_nll && found.nll > *largest_nll) continue;
      candidate.objective_after = found.bcce;
      const auto distance = [](const Calibration& of) {
        return std::abs(std::log(of.t_high)) + std::abs(std::log(of.t_low));
      };
      const double gain = best.objective_after - found.bcce;
      if (gain > 1e-12 || (gain > -1e-12 && distance(candidate) < distance(best))) best = candidate;
    }
  }
  return best;
}

TEST(Fit, EqualsBruteForceOnTheSameGrid) {
  for (const std::size_t classes : {3, 6}) {
    LogitShape shape;
    shape.passes = 3;
    shape.samples = 60;
    shape.classes = classes;
    const LogitSet set = random_logits(shape, classes);
    FitOptions options = with_method(CalibrationMethod::kDts);
    options.grid = 13;
    options.refinements = 0;
    options.box_high = TemperatureBox{0.4, 1.2};
    options.box_low = TemperatureBox{0.8, 3};
    const Calibration plain = fit(set, options).calibration;
    const Calibration plain_brute = brute_force(set, options, std::nullopt);
    EXPECT_EQ(plain.t_high, plain_brute.t_high);
    EXPECT_EQ(plain.t_low, plain_brute.t_low);
    EXPECT_NEAR(plain.objective_after, plain_brute.objective_after, 1e-14);

    options.method = CalibrationMethod::kDtsGuarded;
    options.guard_folds = 0;
    const double bound = 1.02 * quality(set, std::vector<double>{1.0}).nll;
    const Calibration guarded = fit(set, options).calibration;
    const Calibration guarded_brute = brute_force(set, options, bound);
    EXPECT_EQ(guarded.t_high, guarded_brute.t_high);
    EXPECT_EQ(guarded.t_low, guarded_brute.t_low);
    EXPECT_NEAR(guarded.objective_after, guarded_brute.objective_after, 1e-14);
  }
}

TEST(Fit, FindsTheBestOfAScalarGrid) {
  const LogitSet set = confused();
  for (const CalibrationMethod method : {CalibrationMethod::kTsNll, CalibrationMethod::kTsBcce}) {
    FitOptions options = with_method(method);
    options.grid = 31;
    options.refinements = 0;
    const Calibration calibration = fit(set, options).calibration;
    double smallest = std::numeric_limits<double>::infinity();
    double best = 0;
    for (const double t : temperature_grid({0.25, 4}, 31)) {
      const Quality found = quality(set, std::vector<double>{t});
      const double objective = method == CalibrationMethod::kTsNll ? found.nll : found.bcce;
      if (objective < smallest) {
        smallest = objective;
        best = t;
      }
    }
    EXPECT_EQ(calibration.t_high, best) << method_name(method);
    EXPECT_NEAR(calibration.objective_after, smallest, 1e-14) << method_name(method);
  }
}

TEST(Fit, ImprovesByRefining) {
  const LogitSet set = confused();
  FitOptions options = with_method(CalibrationMethod::kTsNll);
  options.refinements = 0;
  const double coarse = fit(set, options).calibration.objective_after;
  options.refinements = 3;
  const Calibration fine = fit(set, options).calibration;
  EXPECT_LE(fine.objective_after, coarse);
  // NLL is smooth: around the optimum it rises on both sides.
  const double t = fine.t_high;
  EXPECT_GT(quality(set, std::vector<double>{t * 1.01}).nll, fine.objective_after);
  EXPECT_GT(quality(set, std::vector<double>{t / 1.01}).nll, fine.objective_after);
}

TEST(Fit, FindsAKnownTemperature) {
  // Labels drawn from the softmax itself are calibrated; tripled logits need T = 3.
  LogitShape shape;
  shape.passes = 1;
  shape.samples = 4000;
  shape.strength = 1;
  LogitSet set = random_logits(shape, 6);
  const Predictive truth = predict(set.view());
  SeedStream stream(6, 6);
  for (std::size_t i = 0; i < set.samples; ++i) {
    double u = stream.uniform();
    std::int64_t label = 0;
    while (label < 2 && u >= truth.probabilities[i * 3 + static_cast<std::size_t>(label)]) {
      u -= truth.probabilities[i * 3 + static_cast<std::size_t>(label++)];
    }
    set.labels[i] = label;
  }
  // Beyond the default box [0.25, 4] too, which is then made wider.
  for (const double scale : {3.0, 9.0, 1.0 / 30}) {
    LogitSet scaled = set;
    for (double& value : scaled.values) value *= scale;
    const FitResult result = fit(scaled, with_method(CalibrationMethod::kTsNll));
    EXPECT_NEAR(result.calibration.t_high, scale, 0.07 * scale);
    EXPECT_TRUE(result.warnings.empty()) << result.warnings[0];
    EXPECT_GT(result.calibration.box_high.high, scale);
    EXPECT_LT(result.calibration.box_high.low, scale);
  }
}

// More logits than are searched: a part of the samples finds the way, all of them the end.
TEST(Fit, EndsOnAllSamplesOfALargeSet) {
  LogitShape shape;
  shape.passes = 2;
  shape.samples = 240000;
  shape.classes = 50;
  ASSERT_GT(shape.passes * shape.samples * shape.classes, kSearchedLogits);
  const LogitSet set = random_logits(shape, 15);
  FitOptions options = with_method(CalibrationMethod::kTsNll);
  options.grid = 41;
  const Calibration nll = fit(set, options).calibration;
  EXPECT_GT(quality(set, std::vector<double>{nll.t_high * 1.001}).nll, nll.objective_after);
  EXPECT_GT(quality(set, std::vector<double>{nll.t_high / 1.001}).nll, nll.objective_after);
  options.method = CalibrationMethod::kDtsGuarded;
  const Calibration guarded = fit(set, options).calibration;
  const Quality before = quality(set, std::vector<double>{1.0});
  const Quality after = quality(set, guarded);
  EXPECT_LE(after.nll, 1.02 * before.nll);
  EXPECT_LT(after.bcce, before.bcce);
}

TEST(Fit, LeavesTwoClassesAlone) {
  LogitShape shape;
  shape.classes = 2;
  const LogitSet set = random_logits(shape, 7);
  for (const CalibrationMethod method :
       {CalibrationMethod::kDts, CalibrationMethod::kDtsGuarded, CalibrationMethod::kTsBcce}) {
    const Calibration calibration = fit(set, with_method(method)).calibration;
    EXPECT_EQ(calibration.t_high, 1.0) << method_name(method);
    EXPECT_EQ(calibration.t_low, 1.0) << method_name(method);
  }
}

TEST(Fit, TakesRegionsFromTheUnscaledPrediction) {
  const LogitSet set = confused();
  const FitResult result = fit(set, with_method(CalibrationMethod::kDts));
  const Predictive unscaled = predict(set.view());
  const Thresholds expected = thresholds_from_eta(kDefaultEta, 3);
  EXPECT_EQ(result.calibration.thresholds.gamma_high, expected.gamma_high);
  double sharpened = 0;
  for (std::size_t i = 0; i < set.samples; ++i) {
    if (scaling_region(unscaled.confidence[i], unscaled.entropy[i], expected) ==
        ScalingRegion::kSharpen) {
      sharpened += 1;
    }
  }
  EXPECT_GT(sharpened, 0);
  EXPECT_EQ(result.calibration.share_sharpened, sharpened / static_cast<double>(set.samples));
}

TEST(Fit, UsesTheThresholdsItIsGiven) {
  const LogitSet set = confused();
  FitOptions options = with_method(CalibrationMethod::kDts);
  options.thresholds = paper_thresholds();
  EXPECT_EQ(fit(set, options).calibration.thresholds.gamma_high, 0.923);
  options.thresholds.reset();
  options.eta = 0.2;
  EXPECT_EQ(fit(set, options).calibration.thresholds.eta, 0.2);
  options.eta = 0.7;
  expect_error<ArgumentError>([&] { fit(set, options); }, "eta must be in (0, ln 2 = 0.693147)");
  options.thresholds = Thresholds{0.95, 0.9, 0.3};
  expect_error<ArgumentError>([&] { fit(set, options); }, "gamma_high must be in [0.95, 1]");
}

bool holds(const std::vector<std::string>& warnings, const std::string& words) {
  for (const std::string& warning : warnings) {
    if (warning.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(Fit, KeepsAnEmptyRegionAtOneAndSaysSo) {
  LogitSet certain = random_logits({}, 8);
  for (double& value : certain.values) value *= 0.01;
  for (const CalibrationMethod method : {CalibrationMethod::kDts, CalibrationMethod::kDtsGuarded}) {
    FitResult result = fit(certain, with_method(method));
    EXPECT_EQ(result.calibration.t_high, 1.0);
    EXPECT_EQ(result.calibration.share_sharpened, 0.0);
    EXPECT_TRUE(
        holds(result.warnings, "no sample is in the region of T_high, which keeps its value 1"));
  }
  for (std::size_t i = 0; i < certain.samples; ++i) {
    for (std::size_t s = 0; s < certain.passes; ++s) certain.at(s, i, i % 3) += 9;
  }
  const FitResult result = fit(certain, with_method(CalibrationMethod::kDts));
  EXPECT_EQ(result.calibration.t_low, 1.0);
  EXPECT_EQ(result.calibration.share_sharpened, 1.0);
  EXPECT_TRUE(
      holds(result.warnings, "no sample is in the region of T_low, which keeps its value 1"));
  EXPECT_FALSE(holds(result.warnings, "region of T_high"));
  // Also where the box does not hold 1.
  FitOptions elsewhere = with_method(CalibrationMethod::kDts);
  elsewhere.box_low = TemperatureBox{1.5, 2};
  EXPECT_EQ(fit(certain, elsewhere).calibration.t_low, 1.0);
}

TEST(Fit, NamesTheBoundAnOptimumLiesOn) {
  const LogitSet set = confused();
  FitOptions options = with_method(CalibrationMethod::kDts);
  options.box_high = TemperatureBox{0.9, 1};
  options.box_low = TemperatureBox{1, 1.05};
  const FitResult dual = fit(set, options);
  EXPECT_EQ(dual.calibration.t_high, 0.9);
  EXPECT_EQ(dual.calibration.t_low, 1.05);
  EXPECT_TRUE(holds(dual.warnings,
                    "T_high = 0.9 lies on the lower bound of its box [0.9, 1]: the bound, not the "
                    "data, set it"));
  EXPECT_TRUE(holds(dual.warnings, "T_low = 1.05 lies on the upper bound of its box [1, 1.05]"));
  options = with_method(CalibrationMethod::kTsNll);
  options.box = TemperatureBox{0.1, 0.2};
  const FitResult scalar = fit(set, options);
  EXPECT_EQ(scalar.calibration.t_high, 0.2);
  EXPECT_TRUE(holds(scalar.warnings, "T = 0.2 lies on the upper bound of its box [0.1, 0.2]"));
  options.box.reset();
  EXPECT_TRUE(fit(set, options).warnings.empty());
}

TEST(Fit, SaysNothingOfTheDefaultBoundsOfBcce) {
  const LogitSet set = confused();
  const FitResult dual = fit(set, with_method(CalibrationMethod::kDts));
  EXPECT_TRUE(dual.calibration.t_high == 0.5 || dual.calibration.t_low == 2.0)
      << "BCCE alone has its optimum outside any box";
  EXPECT_TRUE(dual.warnings.empty()) << dual.warnings[0];
}

TEST(Fit, SaysThatTwoClassesHaveNoBcce) {
  LogitShape shape;
  shape.classes = 2;
  const LogitSet set = random_logits(shape, 7);
  const std::vector<std::string> only{
      "with two classes BCCE is 0 whatever the temperature, so T stays 1: use ts-nll"};
  for (const CalibrationMethod method :
       {CalibrationMethod::kDts, CalibrationMethod::kDtsGuarded, CalibrationMethod::kTsBcce}) {
    EXPECT_EQ(fit(set, with_method(method)).warnings, only) << method_name(method);
  }
  EXPECT_FALSE(holds(fit(set, with_method(CalibrationMethod::kTsNll)).warnings, "two classes"));
}

TEST(Fit, BlamesNoBoundForAFlatObjective) {
  LogitSet set = random_logits({}, 14);
  set.values.assign(set.values.size(), 0.5);  // uniform at any temperature
  const FitResult result = fit(set, with_method(CalibrationMethod::kDts));
  EXPECT_EQ(result.calibration.t_low, 1.0);
  EXPECT_FALSE(holds(result.warnings, "bound"));
}

TEST(Fit, WarnsOfOneClassLabels) {
  LogitSet set = random_logits({}, 9);
  set.labels.assign(set.samples, 1);
  const std::string words =
      "all labels are class 1: NLL on one class says nothing about the others";
  EXPECT_TRUE(holds(fit(set, with_method(CalibrationMethod::kTsNll)).warnings, words));
  EXPECT_TRUE(holds(fit(set, with_method(CalibrationMethod::kDtsGuarded)).warnings, words));
  EXPECT_FALSE(holds(fit(set, with_method(CalibrationMethod::kDts)).warnings, words));
}

TEST(Fit, NeedsLabelsOnlyForNll) {
  const LogitSet set = random_logits({}, 10);
  const auto unlabelled = [&](CalibrationMethod method) {
    return fit_calibration(set.view(), {}, with_method(method)).calibration;
  };
  expect_error<DataError>([&] { unlabelled(CalibrationMethod::kTsNll); },
                          "the method ts-nll needs labels, and there are none");
  expect_error<DataError>([&] { unlabelled(CalibrationMethod::kDtsGuarded); },
                          "the method dts-guarded needs labels, and there are none");
  for (const CalibrationMethod method : {CalibrationMethod::kDts, CalibrationMethod::kTsBcce}) {
    const Calibration labelled = fit(set, with_method(method)).calibration;
    EXPECT_EQ(calibration_to_json(unlabelled(method)), calibration_to_json(labelled));
  }
}

TEST(Fit, RefusesBadOptionsAndData) {
  LogitSet set = random_logits({}, 11);
  const auto refused = [&](void (*change)(FitOptions&), const std::string& words) {
    FitOptions options = with_method(CalibrationMethod::kDts);
    change(options);
    expect_error<ArgumentError>([&] { fit(set, options); }, words);
  };
  refused(
      [](FitOptions& o) {
        o.box_high = TemperatureBox{0, 1};
      },
      "the box of T_high must be a positive number, not 0");
  refused(
      [](FitOptions& o) {
        o.box_low = TemperatureBox{2, 1};
      },
      "the box of T_low must run from low to high, not from 2 to 1");
  refused(
      [](FitOptions& o) {
        o.box_low = TemperatureBox{1, std::nan("")};
      },
      "the box of T_low must be a positive number, not nan");
  refused([](FitOptions& o) { o.gamma = 0.1; }, "gamma must be in [");
  refused([](FitOptions& o) { o.bins = 0; }, "the number of bins must be at least 1, not 0");
  refused([](FitOptions& o) { o.grid = 1; }, "the grid must be at least 2, not 1");
  refused([](FitOptions& o) { o.nll_tolerance = -1; },
          "the NLL tolerance must be at least 0, not -1");
  FitOptions far = with_method(CalibrationMethod::kDtsGuarded);
  far.box_high = TemperatureBox{0.05, 0.06};
  far.box_low = TemperatureBox{15, 20};
  expect_error<DataError>([&] { fit(set, far); },
                          "no pair of temperatures in [0.05, 0.06] x [15, 20] keeps the NLL within "
                          "the tolerance; let the boxes hold 1");
  LogitSet short_of_labels = set;
  short_of_labels.labels.pop_back();
  set.labels[3] = 3;
  for (const CalibrationMethod method : kCalibrationMethods) {
    expect_error<DataError>([&] { fit(short_of_labels, with_method(method)); },
                            "there are 199 labels for 200 samples");
    expect_error<DataError>([&] { fit(set, with_method(method)); },
                            "labels must be in 0..2, but sample 3 has 3");
  }
  set.labels[3] = 0;
  set.at(1, 2, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_error<DataError>([&] { fit(set, with_method(CalibrationMethod::kDts)); },
                          "[pass 1, sample 2, class 0] is NaN");
}

TEST(Fit, GivesTheSameBitsOnAnyNumberOfThreads) {
  LogitShape shape;
  shape.samples = 2500;
  const LogitSet set = random_logits(shape, 12);
  for (const CalibrationMethod method : kCalibrationMethods) {
    const auto with = [&](std::size_t threads) {
      const Threads scope(threads);
      return calibration_to_json(fit(set, with_method(method)).calibration);
    };
    EXPECT_EQ(with(1), with(3));
  }
}

TEST(Fit, HandlesCertainAndTiedSamples) {
  // Saturated logits (U = 0 exactly) and equal logits (c = 1/K exactly, on a bin edge for 15 bins).
  LogitSet set = random_logits({}, 13);
  for (std::size_t i = 0; i < set.samples; ++i) {
    for (std::size_t s = 0; s < set.passes; ++s) {
      for (std::size_t k = 0; k < set.classes; ++k) {
        if (i % 4 == 0) set.at(s, i, k) = k == 0 ? 1e6 : 0;
        if (i % 4 == 1) set.at(s, i, k) = 0.5;
        if (i % 4 == 2) set.at(s, i, k) = k == 0 ? 0 : 40;
      }
    }
  }
  for (const CalibrationMethod method : kCalibrationMethods) {
    const Calibration calibration = fit(set, with_method(method)).calibration;
    EXPECT_LE(calibration.objective_after, calibration.objective_before + kTies);
  }
}

}  // namespace
}  // namespace cubcal
