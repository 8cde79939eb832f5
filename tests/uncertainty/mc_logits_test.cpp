#include "cubcal/uncertainty/mc_logits.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

TEST(McLogits, TakesArraysOfRankTwoAndThree) {
  const NdArray array(DType::kF32, {4, 5, 3});
  const McLogits three(array);
  EXPECT_EQ(three.passes(), 4U);
  EXPECT_EQ(three.samples(), 5U);
  EXPECT_EQ(three.classes(), 3U);
  EXPECT_EQ(three.dtype(), DType::kF32);
  EXPECT_EQ(three.data(), array.bytes());
  const McLogits two(NdArray(DType::kF16, {5, 3}));
  EXPECT_EQ(two.passes(), 1U);
  EXPECT_EQ(two.samples(), 5U);
  EXPECT_EQ(two.classes(), 3U);
}

TEST(McLogits, RefusesOtherRanksAndTypes) {
  expect_error<DataError>([] { McLogits(NdArray(DType::kF64, {6})); },
                          "logits must have shape [S, N, K] or [N, K], not (6,)");
  expect_error<DataError>(
      [] {
        McLogits(NdArray(DType::kF64, {1, 2, 3, 4}));
      },
      "logits must have shape [S, N, K] or [N, K], not (1, 2, 3, 4)");
  expect_error<DataError>(
      [] {
        McLogits(NdArray(DType::kI64, {2, 3}));
      },
      "logits must be float16, float32 or float64, not int64");
}

TEST(McLogits, RefusesEmptyExtentsAndOneClass) {
  const double value = 0;
  const auto words = [](int s, int n, int k) {
    return "logits need at least 1 pass, 1 sample and 2 classes, not [S=" + std::to_string(s) +
           ", N=" + std::to_string(n) + ", K=" + std::to_string(k) + "]";
  };
  expect_error<DataError>([&] { McLogits(&value, 0, 1, 2); }, words(0, 1, 2));
  expect_error<DataError>([&] { McLogits(&value, 1, 0, 2); }, words(1, 0, 2));
  expect_error<DataError>([&] { McLogits(&value, 1, 1, 0); }, words(1, 1, 0));
  expect_error<DataError>([&] { McLogits(&value, 1, 1, 1); }, words(1, 1, 1));
  expect_error<DataError>([] { McLogits(NdArray(DType::kF32, {3, 1})); }, words(1, 3, 1));
}

}  // namespace
}  // namespace cubcal
