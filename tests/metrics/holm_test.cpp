#include "cubcal/metrics/holm.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

// statsmodels: multipletests([0.01, 0.04, 0.03, 0.005], method="holm") and the like.
TEST(Holm, EqualsStatsmodels) {
  const auto expect = [](const std::vector<double>& p, const std::vector<double>& expected) {
    const std::vector<double> actual = holm_adjusted(p);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12);
  };
  expect({0.01, 0.04, 0.03, 0.005}, {0.03, 0.06, 0.06, 0.02});
  expect({0.5, 0.9, 0.02}, {1, 1, 0.06});
  expect({0.04}, {0.04});
  expect({}, {});
}

TEST(Holm, RefusesWhatIsNoProbability) {
  test::expect_error<ArgumentError>([] { holm_adjusted({0.5, 1.5}); }, "a p-value");
}

}  // namespace
}  // namespace cubcal
