#include "cubcal/metrics/sample_facts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cubcal/boundary/curve.h"
#include "cubcal/core/error.h"
#include "expect_error.h"
#include "metrics/predictive_rows.h"

namespace cubcal {
namespace {

using test::expect_error;
using test::facts_of_rows;

const std::vector<std::vector<double>> kThreeSamples{
    {0.7, 0.2, 0.1}, {0.2, 0.2, 0.6}, {0.0, 1.0, 0.0}};

TEST(SampleFacts, AreWorkedOutPerSample) {
  const SampleFacts facts = facts_of_rows(kThreeSamples, {0, 1, 2});
  EXPECT_EQ(facts.correct, (std::vector<std::uint8_t>{1, 0, 0}));
  EXPECT_EQ(facts.predicted, (std::vector<std::int32_t>{0, 2, 1}));
  EXPECT_NEAR(facts.negative_log_likelihood[0], -std::log(0.7), 1e-15);
  EXPECT_NEAR(facts.negative_log_likelihood[2], 12 * std::log(10.0), 1e-12);
  EXPECT_NEAR(facts.brier[0], 0.09 + 0.04 + 0.01, 1e-15);
  EXPECT_EQ(facts.brier[2], 2.0);
  EXPECT_EQ(facts.ideal[0], u_max(0.7, 3));
  EXPECT_EQ(facts.ideal[2], 0.0);
  EXPECT_NEAR(facts.normalised_entropy[0], facts.entropy[0] / std::log(3.0), 1e-16);
  EXPECT_EQ(facts.confidence_bin[2], 14U);
  EXPECT_EQ(facts.uncertainty_bin[2], 0U);
  EXPECT_EQ(facts.by_entropy, (std::vector<std::uint32_t>{2, 0, 1}));
}

TEST(SampleFacts, FloorTheProbabilityOfTheLabel) {
  EXPECT_EQ(floored_nll(0.0), floored_nll(1e-12));
  EXPECT_EQ(floored_nll(1e-13), floored_nll(1e-12));
  EXPECT_LT(floored_nll(2e-12), floored_nll(1e-12));
  EXPECT_EQ(floored_nll(1.0), 0.0);
}

TEST(SampleFacts, RefuseLabelsThatDoNotFit) {
  expect_error<DataError>(
      [] {
        facts_of_rows(kThreeSamples, {0, 1});
      },
      "there are 2 labels for 3 samples");
  expect_error<DataError>(
      [] {
        facts_of_rows(kThreeSamples, {0, 1, 3});
      },
      "labels must be in 0..2, but sample 2 has 3");
  expect_error<DataError>(
      [] {
        facts_of_rows(kThreeSamples, {0, -1, 2});
      },
      "labels must be in 0..2, but sample 1 has -1");
}

TEST(SampleFacts, RefuseBadOptions) {
  const auto with = [](std::size_t bins, double gamma, double threshold) {
    facts_of_rows(kThreeSamples, {0, 1, 2}, {bins, gamma, threshold});
  };
  expect_error<ArgumentError>([&] { with(0, 0.9, 0.3); },
                              "the number of bins must be at least 1, not 0");
  expect_error<ArgumentError>([&] { with(15, 0.1, 0.3); },
                              "gamma must be in [0.3333333333333333, 1], not 0.1");
  expect_error<ArgumentError>([&] { with(15, 0.9, -0.3); },
                              "the uncertainty threshold must be at least 0, not -0.3");
  expect_error<ArgumentError>([&] { with(15, 0.9, std::numeric_limits<double>::quiet_NaN()); },
                              "the uncertainty threshold must be at least 0, not nan");
}

}  // namespace
}  // namespace cubcal
