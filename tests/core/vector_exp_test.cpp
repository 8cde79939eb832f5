#include "cubcal/core/vector_exp.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cubcal {
namespace {

TEST(ExpNonpositive, IsAccurate) {
  double worst = 0.0;
  const auto look = [&](double x) {
    const double expected = std::exp(x);
    worst = std::max(worst, std::abs(exp_nonpositive(x) - expected) / expected);
  };
  for (double x = 0.0; x > -707.99; x -= 0.00173) look(x);
  for (double x = -1e-18; x > -1.0; x *= 1.01) look(x);
  // Where the reduction changes from one power of two to the next.
  for (int n = 0; n < 1021; ++n) {
    const double middle = -(n + 0.5) * std::log(2.0);
    if (middle <= -708.0) break;
    look(middle);
    look(std::nextafter(middle, 0.0));
    look(std::nextafter(middle, -1000.0));
  }
  EXPECT_LE(worst, 4e-16);
}

TEST(ExpNonpositive, IsOneAtZeroAndNothingFarBelow) {
  EXPECT_EQ(exp_nonpositive(0.0), 1.0);
  EXPECT_EQ(exp_nonpositive(-0.0), 1.0);
  EXPECT_GT(exp_nonpositive(-707.999), 0.0);
  for (const double x : {-708.0, -708.001, -745.0, -1e4, -1e200, -1.7e308}) {
    EXPECT_EQ(exp_nonpositive(x), 0.0) << x;
  }
}

TEST(ExpNonpositive, IsAccurateInSinglePrecision) {
  double worst = 0.0;
  for (float x = 0.0F; x > -86.9F; x -= 0.00173F) {
    const double expected = std::exp(static_cast<double>(x));
    worst = std::max(worst, std::abs(exp_nonpositive(x) - expected) / expected);
  }
  EXPECT_LE(worst, 1.2e-7);
  EXPECT_EQ(exp_nonpositive(0.0F), 1.0F);
  EXPECT_GT(exp_nonpositive(-86.9F), 0.0F);
  for (const float x : {-87.0F, -88.0F, -1e4F, -1e36F}) EXPECT_EQ(exp_nonpositive(x), 0.0F) << x;
}

}  // namespace
}  // namespace cubcal
