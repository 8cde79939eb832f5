#include "cubcal/metrics/poisson_binomial.h"

#include <gtest/gtest.h>

#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/metrics/binomial.h"
#include "expect_error.h"

namespace cubcal {
namespace {

// Equal probabilities make it a binomial.
TEST(PoissonBinomial, OfEqualProbabilitiesIsBinomial) {
  const std::vector<double> p(200, 0.83);
  const CountRange range = poisson_binomial_range(p, 0.95);
  EXPECT_LE(binomial_cdf(range.low - 1, 200, 0.83), 0.025);
  EXPECT_GT(binomial_cdf(range.low, 200, 0.83), 0.025);
  EXPECT_LE(1 - binomial_cdf(range.high, 200, 0.83), 0.025);
  EXPECT_GT(1 - binomial_cdf(range.high - 1, 200, 0.83), 0.025);
}

TEST(PoissonBinomial, CertainAndNoEvents) {
  const std::vector<double> certain{1, 1, 0, 1};
  EXPECT_EQ(poisson_binomial_range(certain, 0.95).low, 3U);
  EXPECT_EQ(poisson_binomial_range(certain, 0.95).high, 3U);
  EXPECT_EQ(poisson_binomial_range(std::vector<double>{}, 0.95).high, 0U);
}

TEST(PoissonBinomial, ManyEventsStayCloseToTheirMean) {
  const std::vector<double> p(100000, 0.9);
  const CountRange range = poisson_binomial_range(p, 0.95);
  EXPECT_NEAR(static_cast<double>(range.low), 90000 - 1.96 * 94.87, 3);
  EXPECT_NEAR(static_cast<double>(range.high), 90000 + 1.96 * 94.87, 3);
}

TEST(PoissonBinomial, RefusesWhatIsNoProbability) {
  test::expect_error<ArgumentError>(
      [] {
        poisson_binomial_range(std::vector<double>{0.5, 1.5}, 0.95);
      },
      "a probability");
  test::expect_error<ArgumentError>([] { poisson_binomial_range(std::vector<double>{0.5}, 1); },
                                    "the interval level");
}

}  // namespace
}  // namespace cubcal
