#include "cubcal/metrics/value_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "cubcal/core/seed_stream.h"

namespace cubcal {
namespace {

TEST(AscendingOrder, EqualsAStableSort) {
  for (const std::size_t count : {0, 1, 2, 7, 1000, 5000}) {
    SeedStream stream(1, count);
    std::vector<double> values(count);
    for (double& value : values) {
      // Many ties, both signs, sizes far apart.
      value = (stream.uniform() - 0.5) * (stream.below(2) == 0 ? 1e-300 : 1e12);
      if (stream.below(3) == 0) value = static_cast<double>(stream.below(4)) - 2.0;
    }
    std::vector<std::uint32_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0U);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
    EXPECT_EQ(ascending_order(values), expected) << count;
  }
}

TEST(AscendingOrder, ZerosOfBothSignsAreEqual) {
  EXPECT_EQ(ascending_order({0.0, -0.0, 0.0, -1.0}), (std::vector<std::uint32_t>{3, 0, 1, 2}));
}

}  // namespace
}  // namespace cubcal
