#include "cubcal/boundary/curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "boundary/random_simplex.h"
#include "cubcal/core/error.h"
#include "cubcal/uncertainty/predictive.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

constexpr double kRounding = 1e-12;

double one_over(std::size_t n) { return 1.0 / static_cast<double>(n); }

TEST(Curve, EnclosesTheEntropyOfRandomSimplices) {
  test::RandomSimplex simplex(1);
  for (std::size_t classes = 2; classes <= 50; ++classes) {
    for (const std::vector<double>& p : simplex.mixed(classes)) {
      const Summary summary = summarise(p.data(), classes);
      const double lowest = u_min(summary.confidence, classes);
      const double attainable = u_min_attainable(summary.confidence, classes);
      ASSERT_GE(attainable, lowest - kRounding) << classes << " " << summary.confidence;
      ASSERT_LE(attainable, summary.entropy + kRounding) << classes << " " << summary.confidence;
      ASSERT_LE(summary.entropy, u_max(summary.confidence, classes) + kRounding)
          << classes << " " << summary.confidence;
    }
  }
}

TEST(Curve, MeetsLogKAtTheUniformDistribution) {
  for (std::size_t classes = 2; classes <= 1000; ++classes) {
    const double most = std::log(static_cast<double>(classes));
    ASSERT_NEAR(u_max(one_over(classes), classes), most, 4e-15 * most) << classes;
    ASSERT_NEAR(u_min_attainable(one_over(classes), classes), most, 1e-13) << classes;
  }
}

TEST(Curve, IsPositiveZeroAtCertainty) {
  for (const std::size_t classes : {2, 3, 7, 50}) {
    const double values[] = {u_min(1.0, classes), u_max(1.0, classes),
                             u_min_attainable(1.0, classes), u_ideal(1.0, classes, 0.9),
                             u_ideal(1.0, classes, 1.0)};
    for (const double value : values) {
      EXPECT_EQ(value, 0.0);
      EXPECT_FALSE(std::signbit(value));
    }
  }
  EXPECT_FALSE(std::signbit(binary_entropy(0.0)));
  EXPECT_EQ(binary_entropy(0.0), 0.0);
}

TEST(Curve, IsItsFormula) {
  const double c = 0.7;
  const double h = -c * std::log(c) - (1 - c) * std::log(1 - c);
  EXPECT_NEAR(binary_entropy(c), h, 1e-15);
  EXPECT_NEAR(u_min(c, 5), h, 1e-15);
  EXPECT_NEAR(u_max(c, 5), h + (1 - c) * std::log(4.0), 1e-15);
  EXPECT_NEAR(binary_entropy(0.5), std::log(2.0), 1e-16);
}

TEST(Curve, StaysAccurateNearCertainty) {
  for (const double rest : {0x1p-10, 0x1p-30, 0x1p-50}) {
    const long double r = rest;
    const long double expected = -(1 - r) * std::log1p(-r) - r * std::log(r);
    EXPECT_NEAR(u_min(1.0 - rest, 3) / static_cast<double>(expected), 1.0, 1e-15);
  }
}

TEST(Curve, FallsFromOneHalfOn) {
  for (double c = 0.51; c <= 1.0; c += 0.01) {
    EXPECT_LT(u_min(c, 4), u_min(c - 0.01, 4));
    EXPECT_LT(u_max(c, 4), u_max(c - 0.01, 4));
  }
}

TEST(Curve, BoundsCoincideForTwoClasses) {
  for (double c = 0.5; c <= 1.0; c += 1.0 / 512) {
    EXPECT_EQ(u_min(c, 2), u_max(c, 2));
    EXPECT_EQ(u_min_attainable(c, 2), u_min(c, 2));
  }
}

TEST(AttainableMinimum, IsTheEntropyOfItsDistribution) {
  for (const double c : {0.45, 0.34, 0.3, 0.21, 0.15, 0.1001}) {
    std::vector<double> p(10, 0.0);
    const int full = static_cast<int>(1.0 / c);
    for (int k = 0; k < full; ++k) p[static_cast<std::size_t>(k)] = c;
    p[static_cast<std::size_t>(full)] = 1.0 - full * c;
    EXPECT_NEAR(u_min_attainable(c, 10), summarise(p.data(), p.size()).entropy, 1e-14) << c;
    EXPECT_GT(u_min_attainable(c, 10), u_min(c, 10));
  }
}

TEST(AttainableMinimum, EqualsTheBoundFromOneHalfOn) {
  for (const double c : {0.5, 0.50000001, 0.7, 0.999, 1.0}) {
    EXPECT_EQ(u_min_attainable(c, 6), u_min(c, 6));
  }
}

TEST(AttainableMinimum, IsContinuousWhereAClassFillsUp) {
  for (std::size_t m = 2; m <= 49; ++m) {
    const double c = one_over(m);
    const double at = u_min_attainable(c, 50);
    EXPECT_NEAR(at, std::log(static_cast<double>(m)), 1e-13) << m;
    // -x ln x has an infinite slope at 0, so a step of 1e-12 may cost 1e-12 * 28 * m.
    EXPECT_NEAR(u_min_attainable(c * (1 - 1e-12), 50), at, 1e-9) << m;
    EXPECT_NEAR(u_min_attainable(c * (1 + 1e-12), 50), at, 1e-9) << m;
    EXPECT_NEAR(u_min_attainable(std::nextafter(c, 0.0), 50), at, 1e-12) << m;
    EXPECT_NEAR(u_min_attainable(std::nextafter(c, 1.0), 50), at, 1e-12) << m;
  }
}

TEST(Ideal, ChangesSidesJustAboveGamma) {
  const double gamma = 0.9;
  EXPECT_EQ(u_ideal(gamma, 5, gamma), u_max(gamma, 5));
  const double above = std::nextafter(gamma, 1.0);
  EXPECT_EQ(u_ideal(above, 5, gamma), u_min(above, 5));
  EXPECT_EQ(u_ideal(0.3, 5, gamma), u_max(0.3, 5));
  EXPECT_EQ(u_ideal(0.2, 5, 0.2), u_max(0.2, 5));
  EXPECT_EQ(u_ideal(1.0, 5, 1.0), u_max(1.0, 5));
}

TEST(Curve, RefusesWhatLiesOutsideItsDomain) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double c :
       {-0.1, 0.0, 0.33, 1.0000001, nan, std::numeric_limits<double>::infinity()}) {
    expect_error<ArgumentError>([&] { u_min(c, 3); }, "confidence must be in [");
    expect_error<ArgumentError>([&] { u_max(c, 3); }, "confidence must be in [");
    expect_error<ArgumentError>([&] { u_min_attainable(c, 3); }, "confidence must be in [");
    expect_error<ArgumentError>([&] { u_ideal(c, 3, 0.9); }, "confidence must be in [");
  }
  expect_error<ArgumentError>([] { u_min(0.2, 4); }, "confidence must be in [0.25, 1], not 0.2");
  expect_error<ArgumentError>([] { binary_entropy(-0.5); },
                              "confidence must be in [0, 1], not -0.5");
  expect_error<ArgumentError>([] { u_ideal(0.5, 4, 0.2); }, "gamma must be in [0.25, 1], not 0.2");
  expect_error<ArgumentError>([] { u_ideal(0.5, 4, 1.1); }, "gamma must be in [0.25, 1], not 1.1");
  expect_error<ArgumentError>([&] { u_ideal(0.5, 4, nan); }, "gamma must be in [0.25, 1], not nan");
}

TEST(Curve, RefusesOneClass) {
  const char* words = "the number of classes must be at least 2, not 1";
  expect_error<ArgumentError>([] { u_min(1.0, 1); }, words);
  expect_error<ArgumentError>([] { u_max(1.0, 1); }, words);
  expect_error<ArgumentError>([] { u_min_attainable(1.0, 1); }, words);
  expect_error<ArgumentError>([] { u_ideal(1.0, 1, 1.0); }, words);
  expect_error<ArgumentError>([] { u_min(1.0, 0); }, "at least 2, not 0");
}

TEST(Curve, ForgivesRoundingAtTheEnds) {
  EXPECT_EQ(confidence_in_domain(std::nextafter(1.0 / 3, 0.0), 3), 1.0 / 3);
  EXPECT_EQ(confidence_in_domain(std::nextafter(1.0, 2.0), 3), 1.0);
  EXPECT_EQ(confidence_in_domain(0.5, 3), 0.5);
  EXPECT_THROW(confidence_in_domain(1.0 / 3 - 1e-13, 3), ArgumentError);
  EXPECT_THROW(confidence_in_domain(1.0 + 1e-13, 3), ArgumentError);
}

}  // namespace
}  // namespace cubcal
