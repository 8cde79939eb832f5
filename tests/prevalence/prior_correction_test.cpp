#include "cubcal/prevalence/prior_correction.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "metrics/predictive_rows.h"

namespace cubcal {
namespace {

TEST(CorrectPriors, ByHand) {
  const Predictive corrected =
      correct_priors(test::predictive_rows({{0.6, 0.4}}), {0.5, 0.5}, {0.9, 0.1});
  EXPECT_NEAR(corrected.probabilities[0], 0.54 / 0.58, 1e-15);
  EXPECT_NEAR(corrected.confidence[0], 0.54 / 0.58, 1e-15);
  EXPECT_EQ(corrected.epistemic(0), 0);
}

// There and back again, and to the same place.
TEST(CorrectPriors, CanBeUndone) {
  const Predictive before = test::predictive_rows({{0.6, 0.3, 0.1}, {0.2, 0.2, 0.6}});
  const ClassShares a{0.2, 0.3, 0.5};
  const ClassShares b{0.6, 0.3, 0.1};
  const Predictive back = correct_priors(correct_priors(before, a, b), b, a);
  const Predictive same = correct_priors(before, a, a);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(back.probabilities[i], before.probabilities[i], 1e-15);
    EXPECT_NEAR(same.probabilities[i], before.probabilities[i], 1e-15);
  }
  EXPECT_EQ(back.predicted, before.predicted);
}

TEST(CorrectPriors, AClassThatIsGoneHasNoProbability) {
  const Predictive corrected = correct_priors(test::predictive_rows({{0.5, 0.3, 0.2}, {1, 0, 0}}),
                                              {0.4, 0.3, 0.3}, {0, 0.5, 0.5});
  EXPECT_EQ(corrected.probabilities[0], 0);
  EXPECT_NEAR(corrected.probabilities[1], 0.6, 1e-15);
  EXPECT_NEAR(corrected.probabilities[4], 0.5, 1e-15) << "nothing is known but the prevalence";
}

TEST(CorrectPriors, ChecksShares) {
  const Predictive before = test::predictive_rows({{0.6, 0.4}});
  test::expect_error<ArgumentError>(
      [&] {
        correct_priors(before, {1, 0}, {0.5, 0.5});
      },
      "the old prevalence of each class must be a positive number");
  test::expect_error<ArgumentError>(
      [&] {
        correct_priors(before, {0.5, 0.5}, {0.5, 0.4});
      },
      "the new prevalence must sum to 1, not to 0.9");
  test::expect_error<ArgumentError>(
      [&] {
        correct_priors(before, {0.5, 0.5}, {1.5, -0.5});
      },
      "the new prevalence must be in [0, 1]");
  EXPECT_NO_THROW(correct_priors(before, {1, 0}, {1, 0})) << "a class that nobody has";
}

}  // namespace
}  // namespace cubcal
