#include "cubcal/calibration/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace cubcal {
namespace {

TEST(Folds, KeepGroupsTogetherAndAreOfEqualSize) {
  std::vector<std::string> groups;
  for (int i = 0; i < 200; ++i) groups.push_back("patient " + std::to_string(i / 4));
  const Folds folds = make_folds(200, groups, 5, 1);
  ASSERT_EQ(folds.count, 5U);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(folds.of_sample[i], folds.of_sample[i - i % 4]);
  }
  for (std::size_t fold = 0; fold < 5; ++fold) {
    EXPECT_EQ(folds.inside(fold).size(), 40U);
    EXPECT_EQ(folds.outside(fold).size(), 160U);
  }
}

TEST(Folds, CoverEverySampleOnce) {
  const Folds folds = make_folds(101, {}, 10, 2);
  std::set<std::size_t> seen;
  for (std::size_t fold = 0; fold < folds.count; ++fold) {
    for (const std::size_t sample : folds.inside(fold)) {
      EXPECT_TRUE(seen.insert(sample).second);
    }
    EXPECT_GE(folds.inside(fold).size(), 10U);
  }
  EXPECT_EQ(seen.size(), 101U);
}

TEST(Folds, DependOnTheSeedAlone) {
  EXPECT_EQ(make_folds(50, {}, 5, 3).of_sample, make_folds(50, {}, 5, 3).of_sample);
  EXPECT_NE(make_folds(50, {}, 5, 3).of_sample, make_folds(50, {}, 5, 4).of_sample);
}

TEST(Folds, AreAsManyAsThereAreGroups) {
  EXPECT_EQ(make_folds(6, {"a", "a", "b", "b", "c", "c"}, 10, 0).count, 3U);
  EXPECT_EQ(make_folds(3, {"a", "a", "a"}, 10, 0).count, 1U);
}

}  // namespace
}  // namespace cubcal
