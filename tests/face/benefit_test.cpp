#include "cubcal/benefit.h"

#include <gtest/gtest.h>

#include "expect_error.h"
#include "metrics/predictive_rows.h"

namespace cubcal::test {
namespace {

const std::vector<std::int64_t> kCaseLabels{1, 0, 1, 0};

Predictive four_answers() {
  return predictive_rows({{0.02, 0.98}, {0.97, 0.03}, {0.6, 0.4}, {0.45, 0.55}});
}

// The last two are referred: one diseased, one healthy.
TEST(NetBenefitOfArrays, ByHand) {
  const NetBenefit worth =
      net_benefit(four_answers(), kCaseLabels, {1}, {0.5}, {0.325, 0.1}).front();
  EXPECT_NEAR(worth.policy, 0.5 - 0.1 * 0.5, 1e-15);
  EXPECT_NEAR(worth.answer_all, 0.25 - 0.25, 1e-15);
  EXPECT_NEAR(worth.treat_all, 0, 1e-15);
  EXPECT_NEAR(worth.refer_all, 0.5 - 0.1, 1e-15);
  EXPECT_EQ(worth.referred, 0.5);
  EXPECT_EQ(worth.missed, 0);
  EXPECT_EQ(worth.false_alarms, 0);
}

TEST(NetBenefitOfArrays, RefusesWhatMakesNoSense) {
  expect_error<ArgumentError>([] { net_benefit(four_answers(), kCaseLabels, {2}, {0.5}, {}); },
                              "there is no class 2: there are 2");
  expect_error<ArgumentError>([] { net_benefit(four_answers(), kCaseLabels, {}, {0.5}, {}); },
                              "not none of them");
  expect_error<ArgumentError>([] { net_benefit(four_answers(), kCaseLabels, {1}, {1}, {}); },
                              "a threshold probability");
  expect_error<DataError>([] { net_benefit(four_answers(), {0}, {1}, {0.5}, {}); }, "1 labels");
}

}  // namespace
}  // namespace cubcal::test
