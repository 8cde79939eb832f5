#include "cubcal/metrics/bins.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/seed_stream.h"

namespace cubcal {
namespace {

TEST(BinIndex, PutsEdgesIntoTheBinBelow) {
  // Edges times bins round up (7/25) and down (1/49).
  for (const std::size_t bins : {1, 2, 3, 7, 10, 15, 25, 49, 1000}) {
    for (std::size_t m = 1; m <= bins; ++m) {
      const double edge = static_cast<double>(m) / static_cast<double>(bins);
      ASSERT_EQ(bin_index(edge, bins), m - 1) << m << "/" << bins;
      ASSERT_EQ(bin_index(std::nextafter(edge, 0.0), bins), m - 1) << m << "/" << bins;
      if (m == bins) continue;
      ASSERT_EQ(bin_index(std::nextafter(edge, 1.0), bins), m) << m << "/" << bins;
    }
  }
}

TEST(BinIndex, PutsZeroIntoTheFirstAndOneIntoTheLast) {
  EXPECT_EQ(bin_index(0.0, 15), 0U);
  EXPECT_EQ(bin_index(5e-324, 15), 0U);
  EXPECT_EQ(bin_index(1.0, 15), 14U);
}

TEST(BinIndex, PutsWhatIsOutsideIntoTheNearest) {
  EXPECT_EQ(bin_index(-0.5, 15), 0U);
  EXPECT_EQ(bin_index(std::nextafter(1.0, 2.0), 15), 14U);
  EXPECT_EQ(bin_index(7.0, 15), 14U);
}

TEST(BinIndex, AgreesWithLookingThroughTheBins) {
  SeedStream stream(1, 1);
  for (int i = 0; i < 20000; ++i) {
    const double value = stream.uniform();
    std::size_t expected = 0;
    while (value > static_cast<double>(expected + 1) / 15.0) ++expected;
    ASSERT_EQ(bin_index(value, 15), expected) << value;
  }
}

}  // namespace
}  // namespace cubcal
