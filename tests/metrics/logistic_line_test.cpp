#include "cubcal/metrics/logistic_line.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/seed_stream.h"

namespace cubcal {
namespace {

struct Points {
  std::vector<double> x;
  std::vector<std::uint8_t> y;
};

/// y drawn from the line a + b x.
Points drawn(double a, double b, double spread, std::uint64_t seed) {
  SeedStream stream(seed, 0);
  Points points;
  for (int i = 0; i < 300; ++i) {
    points.x.push_back(spread * stream.normal());
    const double p = 1 / (1 + std::exp(-(a + b * points.x.back())));
    points.y.push_back(stream.uniform() < p ? 1 : 0);
  }
  return points;
}

// The equations of maximum likelihood: residuals sum to 0, and so do residuals times x.
TEST(LogisticLine, SolvesItsEquations) {
  for (const double slope : {0.02, 0.3, 1.0, 3.0}) {
    for (const double spread : {0.5, 5.0, 20.0}) {
      const Points points = drawn(-0.5, slope / spread * 3, spread, 3);
      for (const Slope kind : {Slope::kFree, Slope::kHeld}) {
        const auto line = fit_logistic_line(counted_points(points.x, points.y), kind);
        ASSERT_TRUE(line) << slope << " " << spread;
        double residual = 0;
        double weighted = 0;
        for (std::size_t i = 0; i < points.x.size(); ++i) {
          const double p = 1 / (1 + std::exp(-(line->intercept + line->slope * points.x[i])));
          residual += points.y[i] - p;
          weighted += (points.y[i] - p) * points.x[i];
        }
        EXPECT_NEAR(residual, 0, 1e-8) << slope << " " << spread;
        if (kind == Slope::kFree) {
          EXPECT_NEAR(weighted, 0, 1e-7) << slope << " " << spread;
        } else {
          EXPECT_EQ(line->slope, 1);
        }
      }
    }
  }
}

TEST(LogisticLine, ThereIsNoneWithoutOverlap) {
  EXPECT_FALSE(fit_logistic_line(counted_points({-2, -1, 1, 2}, {0, 0, 1, 1}), Slope::kFree))
      << "parted";
  EXPECT_FALSE(fit_logistic_line(counted_points({-2, 0, 0, 2}, {0, 0, 1, 1}), Slope::kFree))
      << "but for one";
  EXPECT_FALSE(fit_logistic_line(counted_points({1, 1, 1}, {0, 1, 1}), Slope::kFree))
      << "x all alike";
  EXPECT_FALSE(fit_logistic_line(counted_points({1, 2, 3}, {1, 1, 1}), Slope::kHeld))
      << "y all alike";
  EXPECT_TRUE(fit_logistic_line(counted_points({-2, -1, 1, 2}, {0, 0, 1, 1}), Slope::kHeld));
}

TEST(LogisticLine, CountsAreCopiesAndTheStartDoesNotMatter) {
  const Points points = drawn(0.2, 0.7, 2, 5);
  std::vector<std::uint32_t> counts;
  Points copied;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    counts.push_back(static_cast<std::uint32_t>(i % 3));
    for (std::uint32_t copy = 0; copy < counts[i]; ++copy) {
      copied.x.push_back(points.x[i]);
      copied.y.push_back(points.y[i]);
    }
  }
  const auto counted = fit_logistic_line(counted_points(points.x, points.y, SampleCounts(counts)),
                                         Slope::kFree, {3, -2});
  const auto whole = fit_logistic_line(counted_points(copied.x, copied.y), Slope::kFree);
  ASSERT_TRUE(counted && whole);
  EXPECT_NEAR(counted->slope, whole->slope, 1e-9);
  EXPECT_NEAR(counted->intercept, whole->intercept, 1e-9);
}

}  // namespace
}  // namespace cubcal
