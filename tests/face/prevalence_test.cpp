#include "cubcal/prevalence.h"

#include <gtest/gtest.h>

#include "expect_error.h"
#include "prevalence/drawn_samples.h"

namespace cubcal::test {
namespace {

TEST(PrevalenceOfArrays, IsFoundEstimatedAndCorrectedFor) {
  const std::vector<double> from{0.2, 0.5, 0.3};
  const std::vector<double> truth{0.7, 0.1, 0.2};
  const DrawnSamples known = drawn_samples(5000, {0.5, 0.3, 0.2}, from, 1);
  const DrawnSamples fresh = drawn_samples(5000, truth, from, 2);
  const std::vector<double> own = model_prevalence(known.predictive, known.labels);
  const std::vector<double> there = estimate_prevalence(fresh.predictive, own);
  const Predictive corrected = at_prevalence(fresh.predictive, own, there);
  const DrawnSamples exact = drawn_samples(5000, truth, truth, 2);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(own[k], from[k], 0.05);
    EXPECT_NEAR(there[k], truth[k], 0.05);
    EXPECT_NEAR(corrected.probabilities[k], exact.predictive.probabilities[k], 0.1);
  }
}

TEST(PrevalenceOfArrays, RefusesWhatMakesNoSense) {
  const DrawnSamples known = drawn_samples(20, {0.5, 0.3, 0.2}, {0.5, 0.3, 0.2}, 1);
  expect_error<DataError>([&] { model_prevalence(known.predictive, {0, 1}); }, "2 labels");
  expect_error<ArgumentError>(
      [&] {
        estimate_prevalence(known.predictive, {0.5, 0.5});
      },
      "the classes");
  expect_error<ArgumentError>(
      [&] {
        at_prevalence(known.predictive, {0.5, 0.3, 0.2}, {0.5, 0.3, 0.3});
      },
      "the new prevalence must sum to 1");
}

}  // namespace
}  // namespace cubcal::test
