#include "cubcal/data/balance.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace cubcal {
namespace {

ImageSplit lopsided() {
  ImageSplit split;
  split.name = "train";
  split.images = at::arange(6 * 3 * 8 * 8).mul(31).remainder(251).to(at::kByte).view({6, 3, 8, 8});
  split.labels = at::tensor(std::vector<std::int64_t>{0, 0, 1, 0, 0, 2}, at::kLong);
  split.groups = at::tensor(std::vector<std::int64_t>{0, 0, 1, 2, 3, 4}, at::kLong);
  split.files = {"a", "b", "c", "d", "e", "f"};
  split.metadata = {{"1", "2", "3", "4", "5", "6"}};
  return split;
}

TEST(Balance, EveryClassIsAsLargeAsTheLargest) {
  const ImageSplit balanced = balance_split(lopsided(), 3, {}, 1);
  EXPECT_EQ(class_counts(balanced, 3), (std::vector<std::int64_t>{4, 4, 4}));
  EXPECT_EQ(balanced.size(), 12);
  EXPECT_TRUE(at::equal(balanced.images.slice(0, 0, 6), lopsided().images)) << "originals as is";
  for (std::int64_t i = 6; i < 12; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const std::int64_t original = balanced.files[place] == "c" ? 2 : 5;
    EXPECT_EQ(balanced.groups[i].item<std::int64_t>(), original == 2 ? 1 : 4);
    EXPECT_EQ(balanced.metadata[0][place], original == 2 ? "3" : "6");
    EXPECT_FALSE(at::equal(balanced.images[i], balanced.images[original])) << "a copy is changed";
  }
  EXPECT_FALSE(at::equal(balanced.images[6], balanced.images[7]));
}

TEST(Balance, FollowsFromTheSeed) {
  EXPECT_TRUE(at::equal(balance_split(lopsided(), 3, {}, 1).images,
                        balance_split(lopsided(), 3, {}, 1).images));
  EXPECT_FALSE(at::equal(balance_split(lopsided(), 3, {}, 1).images,
                         balance_split(lopsided(), 3, {}, 2).images));
}

}  // namespace
}  // namespace cubcal
