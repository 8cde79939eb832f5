#include "cubcal/prevalence/expectation.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "metrics/predictive_rows.h"
#include "prevalence/drawn_samples.h"

namespace cubcal {
namespace {

/// g_k of expectation.h: 1 where a share is above 0 and at most 1 elsewhere, at the maximum.
std::vector<double> gradients(const Predictive& samples, const ClassShares& from,
                              const ClassShares& q) {
  std::vector<double> gradient(from.size(), 0.0);
  for (std::size_t i = 0; i < samples.samples; ++i) {
    const double* p = &samples.probabilities[i * from.size()];
    double likelihood = 0;
    for (std::size_t k = 0; k < from.size(); ++k) likelihood += q[k] * p[k] / from[k];
    for (std::size_t k = 0; k < from.size(); ++k) {
      gradient[k] += p[k] / from[k] / likelihood / static_cast<double>(samples.samples);
    }
  }
  return gradient;
}

TEST(Em, EndsAtTheMaximumOfTheLikelihood) {
  const ClassShares from{0.5, 0.3, 0.2};
  const ClassShares truths[] = {{0.1, 0.2, 0.7}, {0.5, 0.5, 0}, {1, 0, 0}};
  for (const ClassShares& truth : truths) {
    const auto drawn = test::drawn_samples(500, truth, from, 3);
    const EmEstimate estimate = em_prevalence(drawn.predictive, from, from);
    EXPECT_TRUE(estimate.converged);
    const std::vector<double> gradient = gradients(drawn.predictive, from, estimate.prevalence);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_LE(gradient[k], 1 + 1e-8);
      if (estimate.prevalence[k] > 1e-3) {
        EXPECT_NEAR(gradient[k], 1, 1e-6);
      }
      EXPECT_NEAR(estimate.prevalence[k], truth[k], 0.1);
    }
  }
}

TEST(Em, DoesNotDependOnTheStart) {
  const ClassShares from{0.5, 0.3, 0.2};
  const auto drawn = test::drawn_samples(400, {0.2, 0.2, 0.6}, from, 5);
  const EmEstimate a = em_prevalence(drawn.predictive, from, from);
  const EmEstimate b = em_prevalence(drawn.predictive, from, {0.01, 0.98, 0.01});
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.prevalence[k], b.prevalence[k], 1e-7);
}

// Answers that are certain say the shares themselves.
TEST(Em, OfCertainAnswersCountsThem) {
  const Predictive samples = test::predictive_rows({{1, 0}, {1, 0}, {0, 1}, {1, 0}});
  const EmEstimate estimate = em_prevalence(samples, {0.5, 0.5}, {0.5, 0.5});
  EXPECT_NEAR(estimate.prevalence[0], 0.75, 1e-12);
}

TEST(Em, CountsAreRepeatedSamples) {
  const ClassShares from{0.5, 0.3, 0.2};
  const auto drawn = test::drawn_samples(60, {0.2, 0.2, 0.6}, from, 7);
  std::vector<std::vector<double>> rows;
  std::vector<std::uint32_t> counts;
  for (std::size_t i = 0; i < 60; ++i) {
    counts.push_back(static_cast<std::uint32_t>(i % 3));
    const auto first = drawn.predictive.probabilities.begin() + static_cast<std::ptrdiff_t>(3 * i);
    for (std::uint32_t copy = 0; copy < counts[i]; ++copy) rows.emplace_back(first, first + 3);
  }
  const EmEstimate counted = em_prevalence(drawn.predictive, from, from, {}, SampleCounts(counts));
  const EmEstimate repeated = em_prevalence(test::predictive_rows(rows), from, from);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(counted.prevalence[k], repeated.prevalence[k], 1e-9);
  }
}

TEST(Em, SaysWhereItWasStopped) {
  const ClassShares from{0.5, 0.3, 0.2};
  const auto drawn = test::drawn_samples(400, {0.1, 0.1, 0.8}, from, 5);
  const EmEstimate estimate = em_prevalence(drawn.predictive, from, from, {1e-9, 2});
  EXPECT_EQ(estimate.steps, 2U);
  EXPECT_FALSE(estimate.converged);
}

TEST(Em, ChecksShares) {
  const Predictive samples = test::predictive_rows({{0.4, 0.6}});
  test::expect_error<ArgumentError>(
      [&] {
        em_prevalence(samples, {0, 1}, {0.5, 0.5});
      },
      "the old prevalence of each class");
  test::expect_error<ArgumentError>(
      [&] {
        em_prevalence(samples, {0.5, 0.6}, {0.5, 0.5});
      },
      "the old prevalence must sum to 1, not to 1.1");
  test::expect_error<ArgumentError>(
      [&] {
        em_prevalence(samples, {1}, {0.5, 0.5});
      },
      "the classes");
}

}  // namespace
}  // namespace cubcal
