#include "cubcal/prevalence/accepted.h"

#include <gtest/gtest.h>

#include "metrics/predictive_rows.h"

namespace cubcal {
namespace {

TEST(AcceptedAnswers, SharesAndErrorsAreWeighed) {
  const SampleFacts facts = test::facts_of_answers({0.1, 0.2, 0.3, 0.4}, {1, 0, 1, 0});
  const AcceptedAnswers plain = accepted_answers(facts, {}, 0.3);
  EXPECT_DOUBLE_EQ(plain.share, 0.75);
  EXPECT_DOUBLE_EQ(*plain.error, 1.0 / 3);
  const std::vector<double> weights{2, 0.5, 0.5, 1};
  const AcceptedAnswers weighed = accepted_answers(facts, SampleWeights(weights), 0.3);
  EXPECT_DOUBLE_EQ(weighed.share, 0.75);
  EXPECT_DOUBLE_EQ(*weighed.error, 0.5 / 3);
  EXPECT_FALSE(accepted_answers(facts, {}, 0.05).error) << "none is accepted";
}

TEST(ThresholdForError, IsTheLargestThatDoes) {
  const SampleFacts facts = test::facts_of_answers({0.1, 0.2, 0.3, 0.4, 0.5}, {1, 0, 1, 1, 0});
  EXPECT_EQ(threshold_for_error(facts, {}, 0), 0.1);
  EXPECT_EQ(threshold_for_error(facts, {}, 0.25), 0.4) << "above it and below 0.4 they err more";
  EXPECT_EQ(threshold_for_error(facts, {}, 0.4), 0.5);
  const std::vector<double> weights{1, 10, 1, 1, 1};
  EXPECT_EQ(threshold_for_error(facts, SampleWeights(weights), 0.25), 0.1);
}

TEST(ThresholdForError, EqualsStandTogetherAndNoneMayDo) {
  const SampleFacts tied = test::facts_of_answers({0.2, 0.2, 0.3}, {1, 0, 0});
  EXPECT_FALSE(threshold_for_error(tied, {}, 0.4));
  EXPECT_EQ(threshold_for_error(tied, {}, 0.5), 0.2);
}

}  // namespace
}  // namespace cubcal
