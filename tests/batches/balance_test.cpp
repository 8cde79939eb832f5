#include "cubcal_nn/batches/balance.h"

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
  const ImageSplit balanced = balance_split(lopsided(), 3, 1);
  EXPECT_EQ(class_counts(balanced, 3), (std::vector<std::int64_t>{4, 4, 4}));
  EXPECT_EQ(balanced.size(), 12);
  EXPECT_TRUE(at::equal(balanced.images.slice(0, 0, 6), lopsided().images)) << "originals as is";
  for (std::int64_t i = 6; i < 12; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const std::int64_t original = balanced.files[place] == "c" ? 2 : 5;
    EXPECT_EQ(balanced.groups[i].item<std::int64_t>(), original == 2 ? 1 : 4);
    EXPECT_EQ(balanced.metadata[0][place], original == 2 ? "3" : "6");
    EXPECT_TRUE(at::equal(balanced.images[i], balanced.images[original]))
        << "what tells a copy from an original would tell its class";
  }
}

TEST(Balance, FollowsFromTheSeed) {
  ImageSplit split = lopsided();
  split.labels = at::tensor(std::vector<std::int64_t>{0, 0, 0, 0, 1, 1}, at::kLong);
  const auto files = [&split](std::uint64_t seed) { return balance_split(split, 2, seed).files; };
  EXPECT_EQ(files(1), files(1));
  bool differs = false;
  for (std::uint64_t seed = 2; seed < 12; ++seed) differs = differs || files(seed) != files(1);
  EXPECT_TRUE(differs);
}

}  // namespace
}  // namespace cubcal
