#include "cubcal/audit/column_shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace cubcal {
namespace {

/// Patients of 1, 2, 2 and 3 images.
ResamplingUnits patients() {
  const std::vector<std::string> groups{"a", "b", "b", "c", "c", "d", "d", "d"};
  return resampling_units(groups.size(), groups, "labels");
}

TEST(ColumnShuffle, KnowsColumnsThatDifferWithinAUnit) {
  EXPECT_TRUE(is_constant_in_units({0, 1, 1, 0, 0, 2, 2, 2}, patients()));
  EXPECT_FALSE(is_constant_in_units({0, 1, 0, 0, 0, 2, 2, 2}, patients()));
}

TEST(ColumnShuffle, EveryUnitTakesTheValueOfOne) {
  std::set<std::vector<std::uint32_t>> seen;
  for (std::uint64_t b = 0; b < 2000; ++b) {
    SeedStream stream(1, b);
    std::vector<std::uint32_t> order = shuffled_units(patients(), stream);
    seen.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  }
  EXPECT_EQ(seen.size(), 24U);  // all orders of four
}

TEST(ColumnShuffle, SamplesStayTogetherAmongUnitsOfAsMany) {
  const auto samples = samples_of_units(patients());
  std::set<std::vector<std::uint32_t>> seen;
  for (std::uint64_t b = 0; b < 4000; ++b) {
    SeedStream stream(2, b);
    std::vector<std::uint32_t> source = shuffled_samples(samples, stream);
    seen.insert(source);
    EXPECT_EQ(source[0], 0U);                 // the only patient of one image
    EXPECT_EQ(source[1] < 3, source[2] < 3);  // b takes from one patient
    for (std::size_t i = 5; i < 8; ++i) EXPECT_GE(source[i], 5U);
    std::sort(source.begin(), source.end());
    for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(source[i], i);
  }
  EXPECT_EQ(seen.size(), 2U * 2 * 2 * 6);  // who gives, and each giver's order
}

}  // namespace
}  // namespace cubcal
