#include "cubcal/inspection/duplicates.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "expect_error.h"
#include "inspection/fake_set.h"

namespace cubcal::test {
namespace {

FakeSet images(std::size_t count) {
  FakeSet set({"a", "b"});
  for (std::size_t i = 0; i < count; ++i) set.add(0);
  return set;
}

TEST(IdenticalImages, AreGathered) {
  FakeSet set = images(8);
  set.make_identical(5, 2);
  set.make_identical(5, 7);
  set.make_identical(1, 4);
  EXPECT_EQ(identical_images(set.facts), (std::vector<SampleList>{{1, 4}, {2, 5, 7}}));
  EXPECT_TRUE(identical_images(images(4).facts).empty());
}

TEST(IdenticalImages, UnreadableOnesTakeNoPart) {
  std::vector<ImageFacts> facts(3);
  for (ImageFacts& image : facts) image.unreadable = "damaged";
  EXPECT_TRUE(identical_images(facts).empty());
  EXPECT_TRUE(near_duplicates(facts).empty());
}

TEST(NearDuplicates, AreFoundUpToTheThreshold) {
  FakeSet set = images(6);
  set.make_near(0, 3, 24);
  set.make_near(1, 4, 25);
  const std::vector<NearPair> pairs = near_duplicates(set.facts);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].first, 0U);
  EXPECT_EQ(pairs[0].second, 3U);
  EXPECT_EQ(pairs[0].distance, 24);
  EXPECT_GT(pairs[0].correlation, 0.98);
  NearOptions wider;
  wider.max_distance = 25;
  EXPECT_EQ(near_duplicates(set.facts, wider).size(), 2U);
}

TEST(NearDuplicates, MustCorrelateToo) {
  FakeSet set = images(3);
  set.facts[2].appearance->hash = set.facts[0].appearance->hash;
  EXPECT_TRUE(near_duplicates(set.facts).empty());
}

TEST(NearDuplicates, AreNotIdenticalOnes) {
  FakeSet set = images(5);
  set.make_identical(0, 1);
  set.make_near(0, 2);
  set.make_identical(2, 4);
  const std::vector<NearPair> pairs = near_duplicates(set.facts);
  ASSERT_EQ(pairs.size(), 1U);  // one for the two contents, not four
  EXPECT_EQ(pairs[0].first, 0U);
  EXPECT_EQ(pairs[0].second, 2U);
}

TEST(NearDuplicates, FlatImagesTakeNoPart) {
  FakeSet set = images(2);
  set.make_near(0, 1);
  set.facts[1].appearance.reset();
  EXPECT_TRUE(near_duplicates(set.facts).empty());
}

TEST(NearDuplicates, DoNotDependOnThreads) {
  FakeSet set = images(300);
  for (std::size_t i = 0; i < 100; ++i) set.make_near(i, 299 - i);
  set_thread_count(4);
  const auto many = near_duplicates(set.facts);
  set_thread_count(1);
  const auto one = near_duplicates(set.facts);
  set_thread_count(0);
  ASSERT_EQ(many.size(), 100U);
  for (std::size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(many[i].first, i);
    EXPECT_EQ(many[i].second, one[i].second);
  }
}

TEST(NearDuplicates, RefuseAThresholdOutOfRange) {
  NearOptions options;
  options.max_distance = 257;
  expect_error<ArgumentError>([&] { near_duplicates({}, options); }, "differ in");
}

TEST(NearSets, DoNotChain) {
  // 0-1, 1-2, 2-3: 0 is not a pair with 2, so they stay apart.
  const std::vector<NearPair> chain{{0, 1, 3, 1.0}, {1, 2, 3, 1.0}, {2, 3, 3, 1.0}};
  EXPECT_EQ(near_sets(chain), (std::vector<SampleList>{{0, 1}, {2, 3}}));
  const std::vector<NearPair> star{{0, 1, 3, 1.0}, {0, 2, 3, 1.0}, {1, 2, 3, 1.0}};
  EXPECT_EQ(near_sets(star), (std::vector<SampleList>{{0, 1, 2}}));
}

}  // namespace
}  // namespace cubcal::test
