#include "cubcal/benefit/cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "metrics/predictive_rows.h"

namespace cubcal {
namespace {

const std::vector<std::int64_t> kLabels{0, 2, 1};

Predictive three_cases() {
  return test::predictive_rows({{0.7, 0.2, 0.1}, {0.1, 0.3, 0.6}, {0.3, 0.4, 0.3}});
}

TEST(BenefitCases, RiskIsTheSumOverPositiveClasses) {
  const BenefitCases cases = benefit_cases(three_cases(), kLabels, {0, 1, 1});
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_NEAR(cases.risk[0], 0.3, 1e-15);
  EXPECT_NEAR(cases.risk[1], 0.9, 1e-15);
  EXPECT_EQ(cases.diseased, (std::vector<std::uint8_t>{0, 1, 1}));
  EXPECT_TRUE(cases.decisions.empty());
}

TEST(BenefitCases, SomeClassesArePositive) {
  test::expect_error<ArgumentError>(
      [] {
        benefit_cases(three_cases(), kLabels, {0, 0, 0});
      },
      "the positive classes must be some of the 3 classes, not none of them");
  test::expect_error<ArgumentError>(
      [] {
        benefit_cases(three_cases(), kLabels, {1, 1, 1});
      },
      "not all of them");
  test::expect_error<ArgumentError>(
      [] {
        benefit_cases(three_cases(), kLabels, {1, 0});
      },
      "positive classes");
  const std::vector<std::int64_t> wrong{0, 3, 1};
  test::expect_error<DataError>(
      [&] {
        benefit_cases(three_cases(), wrong, {1, 0, 0});
      },
      "sample 1 has 3");
}

TEST(Decisions, ScopeComesBeforeUncertainty) {
  EXPECT_EQ(decisions_by_uncertainty({0.1, 0.5, 0.3, 0.9}, 0.3, {0, 0, 0, 1}),
            (std::vector<Decision>{Decision::kAccept, Decision::kRefer, Decision::kAccept,
                                   Decision::kOutOfScope}));
  EXPECT_EQ(decisions_by_uncertainty({0.1, 5}, std::numeric_limits<double>::infinity(), {}),
            (std::vector<Decision>{Decision::kAccept, Decision::kAccept}));
  test::expect_error<ArgumentError>(
      [] { decisions_by_uncertainty({0.1}, std::nan(""), {}); },
      "the uncertainty above which cases are referred must be at least 0");
}

}  // namespace
}  // namespace cubcal
