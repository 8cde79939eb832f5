#include "cubcal/prevalence/implied_prevalence.h"

#include <gtest/gtest.h>

#include "cubcal/prevalence/prior_correction.h"
#include "prevalence/drawn_samples.h"

namespace cubcal {
namespace {

const ClassShares kEqual(3, 1.0 / 3);

TEST(ImpliedPrevalence, IsTheOneTheModelWasMadeFor) {
  const ClassShares from{0.2, 0.5, 0.3};
  const ClassShares truth{0.6, 0.3, 0.1};
  const auto drawn = test::drawn_samples(20000, truth, from, 11);
  const ImpliedPrevalence implied = implied_prevalence(drawn.predictive, drawn.labels, kEqual);
  EXPECT_TRUE(implied.converged);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(implied.prevalence[k], from[k], 0.02);
}

// What makes it the maximum: corrected to the labels' shares, means are the labels' shares.
TEST(ImpliedPrevalence, MakesMeansThoseOfTheLabels) {
  const auto drawn = test::drawn_samples(300, {0.6, 0.3, 0.1}, {0.2, 0.5, 0.3}, 13);
  const ImpliedPrevalence implied = implied_prevalence(drawn.predictive, drawn.labels, kEqual);
  const ClassShares shares = label_shares(drawn.labels, 3);
  const Predictive corrected = correct_priors(drawn.predictive, implied.prevalence, shares);
  for (std::size_t k = 0; k < 3; ++k) {
    double mean = 0;
    for (std::size_t i = 0; i < 300; ++i) mean += corrected.probabilities[3 * i + k] / 300;
    EXPECT_NEAR(mean, shares[k], 1e-7);
  }
}

TEST(ImpliedPrevalence, SaysWhereItWasStopped) {
  const auto drawn = test::drawn_samples(300, {0.6, 0.3, 0.1}, {0.2, 0.5, 0.3}, 13);
  ImpliedOptions options;
  options.most_steps = 2;
  EXPECT_FALSE(implied_prevalence(drawn.predictive, drawn.labels, kEqual, options).converged);
}

}  // namespace
}  // namespace cubcal
