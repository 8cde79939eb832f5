#include "cubcal/conformal/prediction_sets.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cubcal/conformal/set_summary.h"
#include "cubcal/core/error.h"
#include "cubcal/metrics/binomial.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Samples {
  Predictive predictive;
  std::vector<std::int64_t> labels;
};

Samples drawn_samples(std::size_t count, std::uint64_t seed) {
  test::LogitShape shape;
  shape.passes = 1;
  shape.samples = count;
  shape.classes = 4;
  shape.strength = 2;
  const test::LogitSet set = test::random_logits(shape, seed);
  return {predict(set.view()), set.labels};
}

ConformalOptions options_of(ConformalScore score, double alpha = 0.1) {
  ConformalOptions options;
  options.score.score = score;
  options.alpha = alpha;
  return options;
}

TEST(PredictionSets, TheQuantileHasItsRank) {
  EXPECT_EQ(conformal_rank(9, 0.1), 9U) << "(9 + 1) 0.9, whatever the rounding";
  EXPECT_EQ(conformal_rank(99, 0.05), 95U);
  EXPECT_EQ(conformal_rank(100, 0.1), 91U);
  EXPECT_EQ(conformal_quantile({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(conformal_quantile({3, 1, 2}, 0.25), 3);
  EXPECT_EQ(conformal_quantile({3, 1, 2}, 0.2), kInfinity);
  EXPECT_EQ(conformal_quantile({}, 0.5), kInfinity);
  for (const double alpha : {0.5, 0.2, 0.1, 0.05, 0.01, 0.03}) {
    const std::size_t fewest = fewest_samples(alpha);
    EXPECT_LE(conformal_rank(fewest, alpha), fewest) << alpha;
    EXPECT_GT(conformal_rank(fewest - 1, alpha), fewest - 1) << alpha;
  }
}

TEST(PredictionSets, RefusesAlphaOutsideItsDomain) {
  const Samples samples = drawn_samples(20, 1);
  for (const double alpha : {0.0, 1.0, -0.1, std::nan("")}) {
    test::expect_error<ArgumentError>(
        [&] {
          fit_conformal(samples.predictive, samples.labels, {},
                        options_of(ConformalScore::kLac, alpha));
        },
        "alpha must be in (0, 1)");
  }
}

TEST(PredictionSets, GroupsAndClassesHaveThresholdsOfTheirOwn) {
  const Samples samples = drawn_samples(300, 2);
  ConformalOptions options = options_of(ConformalScore::kLac);
  options.by_class = true;
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < 300; ++i) groups.push_back(i % 3 == 0 ? "a" : "b");
  const ConformalRule rule = fit_conformal(samples.predictive, samples.labels, groups, options);
  ASSERT_EQ(rule.cells.size(), 2U);
  for (const char* group : {"a", "b"}) {
    for (std::size_t k = 0; k < 4; ++k) {
      std::vector<double> scores;
      for (std::size_t i = 0; i < 300; ++i) {
        if (groups[i] != group || samples.labels[i] != static_cast<std::int64_t>(k)) continue;
        scores.push_back(1 - samples.predictive.probabilities[i * 4 + k]);
      }
      EXPECT_EQ(rule.cells.at(group)[k].samples, scores.size());
      EXPECT_EQ(rule.cells.at(group)[k].threshold, conformal_quantile(scores, 0.1));
    }
  }
}

TEST(PredictionSets, UnseenGroupsAndClassesAreNeverRuledOut) {
  Samples samples = drawn_samples(100, 3);
  for (std::int64_t& label : samples.labels) label = label == 3 ? 0 : label;
  ConformalOptions options = options_of(ConformalScore::kLac);
  options.by_class = true;
  const ConformalRule rule = fit_conformal(samples.predictive, samples.labels,
                                           std::vector<std::string>(100, "here"), options);
  EXPECT_EQ(rule.cells.at("here")[3].threshold, kInfinity);
  const auto sets =
      prediction_sets(rule, samples.predictive, std::vector<std::string>(100, "here"));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(sets[i * 4 + 3], 1);
  const auto elsewhere =
      prediction_sets(rule, samples.predictive, std::vector<std::string>(100, "elsewhere"));
  EXPECT_EQ(elsewhere, std::vector<std::uint8_t>(400, 1));
}

TEST(PredictionSets, ApsHoldsTheMostProbableClassAndGoesDownTheOrder) {
  const Samples calibration = drawn_samples(200, 4);
  const Samples test_set = drawn_samples(200, 5);
  for (const ConformalScore score : {ConformalScore::kAps, ConformalScore::kRaps}) {
    const ConformalRule rule =
        fit_conformal(calibration.predictive, calibration.labels, {}, options_of(score, 0.05));
    const auto sets = prediction_sets(rule, test_set.predictive, {});
    for (std::size_t i = 0; i < 200; ++i) {
      EXPECT_EQ(sets[i * 4 + static_cast<std::size_t>(test_set.predictive.predicted[i])], 1);
      for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t b = 0; b < 4; ++b) {
          const double* p = &test_set.predictive.probabilities[i * 4];
          EXPECT_TRUE(p[a] <= p[b] || sets[i * 4 + a] >= sets[i * 4 + b]);
        }
      }
    }
  }
}

TEST(PredictionSets, AnotherNumberOfClassesIsRefused) {
  const Samples samples = drawn_samples(50, 6);
  ConformalRule rule =
      fit_conformal(samples.predictive, samples.labels, {}, options_of(ConformalScore::kLac));
  rule.classes = 3;
  test::expect_error<DataError>([&] { prediction_sets(rule, samples.predictive, {}); },
                                "fitted for 3 classes and cannot be made of 4");
}

// The promise, over 1,000 draws of calibration and test samples. Where scores have no ties the
// number covered is beta-binomial: its mean over the draws, and how often it lies in the forecast
// range, must agree with that.
TEST(PredictionSets, CoverageOverAThousandDraws) {
  constexpr std::size_t kDraws = 1000;
  constexpr std::size_t kCalibration = 60;
  constexpr std::size_t kTest = 40;
  const Samples all = drawn_samples(kDraws * (kCalibration + kTest), 7);
  const auto part = [&](std::size_t first, std::size_t count) {
    Samples taken;
    taken.predictive.samples = count;
    taken.predictive.classes = 4;
    const auto* p = all.predictive.probabilities.data();
    taken.predictive.probabilities.assign(p + first * 4, p + (first + count) * 4);
    taken.labels.assign(all.labels.begin() + static_cast<std::ptrdiff_t>(first),
                        all.labels.begin() + static_cast<std::ptrdiff_t>(first + count));
    return taken;
  };
  struct Kind {
    ConformalScore score;
    bool is_exact;  // else coverage is at least the wanted one
    bool by_class;
  };
  for (const Kind kind :
       {Kind{ConformalScore::kLac, true, false}, Kind{ConformalScore::kAps, true, false},
        Kind{ConformalScore::kRaps, true, false}, Kind{ConformalScore::kAps, false, false},
        Kind{ConformalScore::kLac, false, true}}) {
    std::size_t covered = 0;
    std::size_t in_range = 0;
    const CoverageForecast forecast(kCalibration, 0.1, kTest);
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
      const std::size_t first = draw * (kCalibration + kTest);
      const Samples calibration = part(first, kCalibration);
      const Samples test_set = part(first + kCalibration, kTest);
      ConformalOptions options = options_of(kind.score);
      options.by_class = kind.by_class;
      if (kind.is_exact && kind.score != ConformalScore::kLac) options.score.seed = draw;
      const ConformalRule rule =
          fit_conformal(calibration.predictive, calibration.labels, {}, options);
      const auto sets = prediction_sets(rule, test_set.predictive, {});
      std::size_t own = 0;
      for (std::size_t i = 0; i < kTest; ++i) {
        own += sets[i * 4 + static_cast<std::size_t>(test_set.labels[i])];
      }
      covered += own;
      if (own >= forecast.low(0.95) && own <= forecast.high(0.95)) ++in_range;
    }
    // Of one draw: mean and variance of a beta-binomial share.
    const auto rank = static_cast<double>(conformal_rank(kCalibration, 0.1));
    const double all_ranks = kCalibration + 1;
    const double mean = rank / all_ranks;
    const double variance = mean * (1 - mean) * (all_ranks + kTest) / (kTest * (all_ranks + 1));
    const double found = static_cast<double>(covered) / (kDraws * kTest);
    const double spread = 4 * std::sqrt(variance / kDraws);
    EXPECT_GT(found, (kind.is_exact ? mean : 0.9) - spread) << score_name(kind.score);
    if (!kind.is_exact) continue;
    EXPECT_LT(found, mean + spread) << score_name(kind.score);
    const double inside =
        forecast.at_most(forecast.high(0.95)) - forecast.at_most(forecast.low(0.95) - 1);
    EXPECT_GE(inside, 0.95);
    EXPECT_LE(lower_bound_of_share(in_range, kDraws, 0.9999), inside);
    EXPECT_GE(upper_bound_of_share(in_range, kDraws, 0.9999), inside);
  }
}

}  // namespace
}  // namespace cubcal
