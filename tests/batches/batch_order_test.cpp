#include "cubcal_nn/batches/batch_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cubcal/core/error.h"

namespace cubcal {
namespace {

TEST(BatchOrder, IsAPermutationOfItsOwnPerEpoch) {
  const BatchOrder order(101, 10, 5);
  const auto first = order.permutation(0), second = order.permutation(1);
  EXPECT_NE(first, second);
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_EQ(sorted[i], static_cast<std::int64_t>(i));
  }
}

TEST(BatchOrder, DependsOnSeedAndEpochAlone) {
  EXPECT_EQ(BatchOrder(50, 7, 5).permutation(3), BatchOrder(50, 16, 5).permutation(3));
  EXPECT_NE(BatchOrder(50, 7, 5).permutation(3), BatchOrder(50, 7, 6).permutation(3));
}

TEST(BatchOrder, BatchesCoverThePermutation) {
  const BatchOrder order(23, 5, 1);
  const auto batches = order.batches(2);
  ASSERT_EQ(batches.size(), 5u);
  EXPECT_EQ(order.batches_per_epoch(), 5);
  EXPECT_EQ(batches.back().size(), 3u);
  std::vector<std::int64_t> joined;
  for (const auto& batch : batches) joined.insert(joined.end(), batch.begin(), batch.end());
  EXPECT_EQ(joined, order.permutation(2));
}

TEST(BatchOrder, EveryPlaceIsEquallyLikely) {
  // Where image 0 lands in 3000 epochs of 3 images: 1000 per place, sd 26.
  std::vector<int> places(3, 0);
  const BatchOrder order(3, 3, 9);
  for (std::uint64_t epoch = 0; epoch < 3000; ++epoch) {
    const auto permutation = order.permutation(epoch);
    ++places[static_cast<std::size_t>(std::find(permutation.begin(), permutation.end(), 0) -
                                      permutation.begin())];
  }
  for (const int count : places) EXPECT_NEAR(count, 1000, 110);
}

TEST(BatchOrder, RefusesEmptySetsAndBatches) {
  EXPECT_THROW(BatchOrder(0, 5, 1), ArgumentError);
  EXPECT_THROW(BatchOrder(5, 0, 1), ArgumentError);
}

}  // namespace
}  // namespace cubcal
