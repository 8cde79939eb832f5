#include "cubcal/core/student_t.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cubcal {
namespace {

void expect_relative(double value, double expected, double tolerance) {
  EXPECT_NEAR(value / expected, 1, tolerance) << value << " against " << expected;
}

TEST(StudentTail, KnownValues) {
  expect_relative(student_tail(1, 1), 0.25, 1e-12);
  expect_relative(student_tail(2, 10), 0.036694017385370196, 1e-12);
  expect_relative(student_tail(0.1, 3), 0.4633261744004029, 1e-12);
  expect_relative(student_tail(12, 7), 3.1791551890925527e-06, 1e-12);
  expect_relative(student_tail(3, 79), 0.001805316523720851, 1e-11);
  expect_relative(student_tail(40, 7), 7.951089992425186e-10, 1e-12);
}

TEST(StudentTail, OneAndTwoDegreesHaveClosedForms) {
  for (double t = 0.01; t < 1000; t *= 1.7) {
    expect_relative(student_tail(t, 1), std::atan(1 / t) / M_PI, 1e-12);
    const double root = std::sqrt(2 + t * t);
    expect_relative(student_tail(t, 2), 1 / (root * (root + t)), 1e-11);
  }
}

TEST(StudentTail, TendsToTheNormalDistribution) {
  for (const double t : {0.5, 1.0, 2.0, 4.0}) {
    expect_relative(student_tail(t, 1e7), 0.5 * std::erfc(t / std::sqrt(2.0)), 1e-5);
  }
}

TEST(StudentTail, Limits) {
  EXPECT_EQ(student_tail(0, 5), 0.5);
  EXPECT_EQ(student_tail(1e-200, 5), 0.5);
  EXPECT_EQ(student_tail(std::numeric_limits<double>::infinity(), 5), 0);
  double before = 0.5;
  for (double t = 0.05; t < 60; t += 0.05) {
    const double tail = student_tail(t, 7);
    EXPECT_LT(tail, before) << t;
    before = tail;
  }
}

TEST(StudentQuantile, KnownValues) {
  expect_relative(student_quantile(0.025, 1), 12.706204736174696, 1e-12);
  expect_relative(student_quantile(0.025, 2), 4.302652729749461, 1e-12);
  expect_relative(student_quantile(0.025, 4), 2.7764451051977934, 1e-12);
  expect_relative(student_quantile(0.05, 30), 1.6972608865939574, 1e-12);
  EXPECT_NEAR(student_quantile(0.5, 3), 0, 1e-12);
}

TEST(StudentQuantile, IsTheInverseOfTheTail) {
  for (const double degrees : {1.0, 2.0, 7.0, 300.0}) {
    for (double tail = 0.49; tail > 1e-9; tail /= 3) {
      expect_relative(student_tail(student_quantile(tail, degrees), degrees), tail, 1e-9);
    }
  }
}

}  // namespace
}  // namespace cubcal
