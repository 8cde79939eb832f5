#include "cubcal/uncertainty/pass_spread.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"

namespace cubcal::test {
namespace {

// Two classes whose probability is 0.1, 0.2, ... in five passes, and the same divided by T = 2.
TEST(PassSpread, IsThePercentilesOverPasses) {
  std::vector<double> logits;
  for (const double p : {0.3, 0.1, 0.5, 0.2, 0.4}) {
    for (int sample = 1; sample <= 2; ++sample) {
      logits.push_back(sample * std::log(p / (1 - p)));
      logits.push_back(0);
    }
  }
  const std::vector<PassSpread> spreads =
      pass_spreads(McLogits(logits.data(), 5, 2, 2), {1.0, 2.0});
  ASSERT_EQ(spreads.size(), 2U);
  for (const PassSpread& spread : spreads) {
    // np.percentile([.1, .2, .3, .4, .5], [5, 95]) = .12, .48
    EXPECT_NEAR(spread.low[0], 0.12, 1e-12);
    EXPECT_NEAR(spread.high[0], 0.48, 1e-12);
    EXPECT_NEAR(spread.low[1], 0.52, 1e-12);
    EXPECT_NEAR(spread.high[1], 0.88, 1e-12);
  }
}

TEST(PassSpread, OnePassHasNone) {
  const double logits[] = {1, 2, 3};
  const PassSpread spread = pass_spreads(McLogits(logits, 1, 1, 3), {1.0}).at(0);
  EXPECT_EQ(spread.low, spread.high);
  EXPECT_THROW(pass_spreads(McLogits(logits, 1, 1, 3), {}), ArgumentError);
}

}  // namespace
}  // namespace cubcal::test
