#include "cubcal/inspection/overview.h"

#include <gtest/gtest.h>

#include "inspection/fake_set.h"

namespace cubcal::test {
namespace {

TEST(Overview, CountsImagesAndGroupsByClassAndSplit) {
  FakeSet set({"a", "b"});
  set.add(0, "test", "p1");
  set.add(0, "test", "p1");
  set.add(0, "train", "p2");
  set.add(0, "train");  // no group: one of its own
  set.add(1, "train", "p2");
  set.add(kNoLabel, kOutlierSplit, "p3");
  const Overview view = overview(set.catalog, set.facts);
  EXPECT_EQ(view.columns, (std::vector<std::string>{"train", "test", "ood", "all"}));
  ASSERT_EQ(view.rows.size(), 3U);
  EXPECT_EQ(view.rows[0].images, (std::vector<std::size_t>{2, 2, 0, 4}));
  EXPECT_EQ(view.rows[0].groups, (std::vector<std::size_t>{2, 1, 0, 3}));
  EXPECT_EQ(view.rows[1].images, (std::vector<std::size_t>{1, 0, 0, 1}));
  EXPECT_EQ(view.rows[2].name, "unknown");
  EXPECT_FALSE(view.rows[2].is_class);
  EXPECT_EQ(view.total.images, (std::vector<std::size_t>{3, 2, 1, 6}));
  EXPECT_EQ(view.total.groups, (std::vector<std::size_t>{2, 1, 1, 4}));
}

TEST(Overview, WithoutSplitsThereIsOneColumn) {
  FakeSet set({"a", "b"});
  set.add(0);
  set.add(1);
  const Overview view = overview(set.catalog, set.facts);
  EXPECT_EQ(view.columns, (std::vector<std::string>{"all"}));
  EXPECT_EQ(view.total.images, (std::vector<std::size_t>{2}));
  EXPECT_EQ(view.total.groups, (std::vector<std::size_t>{2}));
}

TEST(Overview, DescribesWhatCouldBeRead) {
  FakeSet set({"a", "b"});
  set.add(0).unreadable = "damaged";
  set.add(0).min_level = 3;
  set.add(1).min_level = 9;
  ImageFacts& wide = set.add(1);
  wide.width = 200;
  wide.min_level = 5;
  const Overview view = overview(set.catalog, set.facts);
  EXPECT_EQ(view.unreadable, 1U);
  EXPECT_EQ(view.sizes, (Tally{{"100 x 100", 2}, {"200 x 100", 1}}));
  EXPECT_EQ(view.channels, (Tally{{"gray", 3}}));
  EXPECT_EQ(view.min_level, 3);
  EXPECT_EQ(view.max_level, 255);
  EXPECT_DOUBLE_EQ(view.mean_level, 120);
}

}  // namespace
}  // namespace cubcal::test
