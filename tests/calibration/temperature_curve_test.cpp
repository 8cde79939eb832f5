#include "cubcal/calibration/temperature_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cubcal/boundary/curve.h"
#include "cubcal/calibration/fit.h"
#include "cubcal/core/error.h"
#include "cubcal/metrics/sample_facts.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::LogitSet;
using test::LogitShape;
using test::random_logits;
using test::Threads;

constexpr CurveOptions kOptions{kDefaultBins, kDefaultGamma};

std::vector<std::size_t> everyone(std::size_t count) {
  std::vector<std::size_t> samples(count);
  std::iota(samples.begin(), samples.end(), std::size_t{0});
  return samples;
}

/// The curve at one temperature, from the library's prediction of everything.
struct Sums {
  std::vector<double> deviation;
  double nll = 0;
};

Sums sums_at(const LogitSet& set, const std::vector<std::size_t>& samples, double temperature) {
  const Predictive predictive = predict(set.view(), std::vector<double>{temperature});
  Sums sums{std::vector<double>(kDefaultBins, 0.0), 0};
  for (const std::size_t i : samples) {
    const double c = predictive.confidence[i];
    sums.deviation[bin_index(c, kDefaultBins)] +=
        predictive.entropy[i] - u_ideal(c, set.classes, kDefaultGamma);
    const double p =
        predictive.probabilities[i * set.classes + static_cast<std::size_t>(set.labels[i])];
    sums.nll += -std::log(std::max(p, 1e-12));
  }
  return sums;
}

void expect_curve(const LogitSet& set, const std::vector<std::size_t>& samples,
                  const std::vector<double>& temperatures) {
  const TemperatureCurve curve =
      temperature_curve(set.view(), samples, set.labels, temperatures, kOptions);
  ASSERT_EQ(curve.temperatures, temperatures);
  ASSERT_EQ(curve.nll.size(), temperatures.size());
  const double size = static_cast<double>(samples.size());
  for (std::size_t t = 0; t < temperatures.size(); ++t) {
    const Sums sums = sums_at(set, samples, temperatures[t]);
    EXPECT_NEAR(curve.nll[t] / size, sums.nll / size, 1e-12) << temperatures[t];
    for (std::size_t m = 0; m < curve.bins; ++m) {
      EXPECT_NEAR(curve.deviation_at(t)[m] / size, sums.deviation[m] / size, 1e-12)
          << temperatures[t] << " bin " << m;
    }
  }
}

TEST(TemperatureCurve, IsWhatPredictionsAddUpTo) {
  for (const std::size_t classes : {2, 3, 7, 20}) {
    LogitShape shape;
    shape.classes = classes;
    const LogitSet set = random_logits(shape, classes);
    expect_curve(set, everyone(set.samples), {0.05, 0.3, 1.0, 1.1, 2.0, 20.0, 0.7});
  }
}

TEST(TemperatureCurve, TakesSomeOfTheSamples) {
  const LogitSet set = random_logits({}, 2);
  expect_curve(set, {199, 3, 5, 3, 120}, {0.5, 1.0, 2.0});
}

TEST(TemperatureCurve, HoldsManyPasses) {
  LogitShape shape;
  shape.passes = 80;
  shape.classes = 10;
  shape.samples = 90;
  const LogitSet set = random_logits(shape, 3);
  expect_curve(set, everyone(set.samples), {0.5, 1.0, 2.0});
}

// Equally spaced 1/T take the recurrence when they rise and an exp each when they fall.
TEST(TemperatureCurve, StepsAsExactlyAsItExponentiates) {
  for (const double strength : {4.0, 100.0}) {
    LogitShape shape;
    shape.strength = strength;
    shape.noise = strength / 4;
    const LogitSet set = random_logits(shape, 4);
    for (const TemperatureBox& box : {TemperatureBox{0.5, 1}, {1, 2}, {0.05, 20}, {0.25, 4}}) {
      std::vector<double> stepping = temperature_grid(box, 201);
      std::vector<double> falling(stepping.rbegin(), stepping.rend());
      const auto samples = everyone(set.samples);
      const auto by_steps = temperature_curve(set.view(), samples, set.labels, stepping, kOptions);
      const auto by_exp = temperature_curve(set.view(), samples, set.labels, falling, kOptions);
      const std::size_t points = stepping.size();
      for (std::size_t t = 0; t < points; ++t) {
        EXPECT_NEAR(by_steps.nll[t] / 200, by_exp.nll[points - 1 - t] / 200, 1e-12);
        for (std::size_t m = 0; m < by_steps.bins; ++m) {
          ASSERT_NEAR(by_steps.deviation_at(t)[m] / 200,
                      by_exp.deviation_at(points - 1 - t)[m] / 200, 1e-12)
              << stepping[t] << " bin " << m;
        }
      }
    }
  }
}

TEST(TemperatureCurve, AddsUpOverDisjointSamples) {
  const LogitSet set = random_logits({}, 5);
  std::vector<std::size_t> halves[2];
  for (std::size_t i = 0; i < set.samples; ++i) halves[i % 3 == 0].push_back(i);
  const std::vector<double> temperatures{0.5, 1.0, 2.0};
  const auto curve = [&](const std::vector<std::size_t>& samples) {
    return temperature_curve(set.view(), samples, set.labels, temperatures, kOptions);
  };
  const auto all = curve(everyone(set.samples));
  const auto a = curve(halves[0]);
  const auto b = curve(halves[1]);
  for (std::size_t j = 0; j < all.deviation.size(); ++j) {
    EXPECT_NEAR(all.deviation[j], a.deviation[j] + b.deviation[j], 1e-12);
  }
  for (std::size_t t = 0; t < 3; ++t) EXPECT_NEAR(all.nll[t], a.nll[t] + b.nll[t], 1e-11);
}

TEST(TemperatureCurve, OfNobodyIsZero) {
  const LogitSet set = random_logits({}, 6);
  const auto curve =
      temperature_curve(set.view(), std::vector<std::size_t>{}, set.labels, {0.5, 1.0}, kOptions);
  EXPECT_EQ(curve.deviation, std::vector<double>(2 * kDefaultBins, 0.0));
  EXPECT_EQ(curve.nll, std::vector<double>(2, 0.0));
}

TEST(TemperatureCurve, HasNoNllWithoutLabels) {
  const LogitSet set = random_logits({}, 7);
  const auto samples = everyone(set.samples);
  const auto with = temperature_curve(set.view(), samples, set.labels, {0.5, 1.0}, kOptions);
  const auto without = temperature_curve(set.view(), samples, {}, {0.5, 1.0}, kOptions);
  EXPECT_TRUE(without.nll.empty());
  EXPECT_EQ(without.deviation, with.deviation);
}

TEST(TemperatureCurve, IsTheSameBitsOnAnyNumberOfThreads) {
  LogitShape shape;
  shape.samples = 3000;
  const LogitSet set = random_logits(shape, 8);
  const auto with = [&](std::size_t threads) {
    const Threads scope(threads);
    return temperature_curve(set.view(), everyone(set.samples), set.labels,
                             temperature_grid({0.5, 2}, 21), kOptions);
  };
  const TemperatureCurve one = with(1);
  for (const std::size_t threads : {2, 3, 7}) {
    EXPECT_EQ(one.deviation, with(threads).deviation);
    EXPECT_EQ(one.nll, with(threads).nll);
  }
}

TEST(TemperatureCurve, RefusesBadTemperaturesAndLogits) {
  LogitSet set = random_logits({}, 9);
  const auto samples = everyone(set.samples);
  test::expect_error<ArgumentError>(
      [&] {
        temperature_curve(set.view(), samples, {}, {1.0, -1.0}, kOptions);
      },
      "temperature must be a positive number, not -1");
  set.at(4, 17, 2) = std::numeric_limits<double>::infinity();
  test::expect_error<DataError>(
      [&] { temperature_curve(set.view(), samples, {}, {1.0}, kOptions); },
      "the one at [pass 4, sample 17, class 2] is infinite");
}

TEST(TemperatureGrid, IsEvenInTheInverseAndHoldsOne) {
  const std::vector<double> grid = temperature_grid({0.25, 4}, 5);
  ASSERT_EQ(grid.size(), 6U);
  EXPECT_EQ(grid.front(), 4.0);
  EXPECT_EQ(grid[4], 0.25);
  EXPECT_EQ(grid[5], 1.0);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(1 / grid[i], 0.25 + 3.75 / 4 * static_cast<double>(i), 1e-15);
  }
  EXPECT_EQ(temperature_grid({0.5, 1}, 3), (std::vector<double>{1.0, 1 / 1.5, 0.5}));
  EXPECT_EQ(temperature_grid({2, 4}, 3), (std::vector<double>{4.0, 1 / 0.375, 2.0}));
}

}  // namespace
}  // namespace cubcal
