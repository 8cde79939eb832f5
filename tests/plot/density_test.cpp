#include "cubcal/plot/density.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cubcal/core/error.h"

namespace cubcal::plot {
namespace {

double integral(const Density& density) {
  double sum = 0;
  for (std::size_t i = 1; i < density.x.size(); ++i) {
    sum += 0.5 * (density.y[i] + density.y[i - 1]) * (density.x[i] - density.x[i - 1]);
  }
  return sum;
}

std::vector<double> normal_values(std::size_t count) {
  std::mt19937_64 random(3);
  std::vector<double> values;
  // Sums of twelve uniform numbers: the same on every standard library.
  for (std::size_t i = 0; i < count; ++i) {
    double sum = -6;
    for (int j = 0; j < 12; ++j) sum += static_cast<double>(random() >> 11U) * 0x1p-53;
    values.push_back(sum);
  }
  return values;
}

TEST(Density, IntegratesToOne) {
  EXPECT_NEAR(integral(estimate_density(normal_values(500))), 1, 1e-3);
  EXPECT_NEAR(integral(estimate_density({2.0})), 1, 1e-3);
  EXPECT_NEAR(integral(estimate_density({0.0, 1e6})), 1, 1e-3);
}

TEST(Density, IntegratesToOneAtBounds) {
  std::vector<double> values = normal_values(500);
  for (double& value : values) value = std::min(std::abs(value), 1.0);
  DensityOptions below;
  below.lower = 0;
  EXPECT_NEAR(integral(estimate_density(values, below)), 1, 1e-3);
  DensityOptions above;
  above.upper = 1;
  EXPECT_NEAR(integral(estimate_density(values, above)), 1, 1e-3);
  DensityOptions both;
  both.lower = 0;
  both.upper = 1;
  const Density density = estimate_density(values, both);
  EXPECT_NEAR(integral(density), 1, 1e-3);
  EXPECT_GE(density.x.front(), 0);
  EXPECT_LE(density.x.back(), 1);
}

TEST(Density, IsFlatForAKernelWiderThanTheInterval) {
  DensityOptions options;
  options.lower = 0;
  options.upper = 2;
  options.bandwidth = 100;
  const Density density = estimate_density({0.1}, options);
  EXPECT_NEAR(integral(density), 1, 1e-3);
  for (const double y : density.y) EXPECT_NEAR(y, 0.5, 0.01);
}

TEST(Density, OfOneValueIsTheKernel) {
  DensityOptions options;
  options.bandwidth = 0.5;
  options.points = 201;
  const Density density = estimate_density({1.0}, options);
  for (std::size_t i = 0; i < density.x.size(); ++i) {
    const double z = (density.x[i] - 1.0) / 0.5;
    EXPECT_NEAR(density.y[i], std::exp(-0.5 * z * z) / (0.5 * std::sqrt(2 * M_PI)), 1e-9);
  }
}

TEST(Density, ReflectsAtABound) {
  DensityOptions options;
  options.lower = 0;
  options.bandwidth = 1;
  const Density density = estimate_density({0.0}, options);
  EXPECT_EQ(density.x.front(), 0);
  EXPECT_NEAR(density.y.front(), 2 / std::sqrt(2 * M_PI), 1e-12);
}

TEST(Silverman, FollowsTheRule) {
  // sd = sqrt(2.5), quartiles 2 and 4: the spread 2 / 1.34 is the smaller of the two.
  EXPECT_NEAR(silverman_bandwidth({1, 2, 3, 4, 5}), 0.9 * (2 / 1.34) * std::pow(5, -0.2), 1e-12);
  EXPECT_GT(silverman_bandwidth({0, 0, 0, 0, 0, 0, 0, 0, 9}), 0) << "quartiles coincide";
  EXPECT_GT(silverman_bandwidth({4, 4, 4}), 0);
}

TEST(Density, RefusesWhatHasNoDensity) {
  EXPECT_THROW(estimate_density({}), ArgumentError);
  EXPECT_THROW(estimate_density({1.0, NAN}), ArgumentError);
  EXPECT_THROW(estimate_density({1.0, INFINITY}), ArgumentError);
  DensityOptions options;
  options.lower = 0;
  EXPECT_THROW(estimate_density({-1.0}, options), ArgumentError);
  options.bandwidth = 0;
  EXPECT_THROW(estimate_density({1.0}, options), ArgumentError);
}

}  // namespace
}  // namespace cubcal::plot
