#include "cubcal/core/nd_array.h"

#include <gtest/gtest.h>

#include <limits>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

TEST(NdArray, KnowsItsSize) {
  const NdArray array(DType::kF32, {2, 3, 4});
  EXPECT_EQ(array.size(), 24U);
  EXPECT_EQ(array.byte_size(), 96U);
  EXPECT_EQ(array.shape_text(), "(2, 3, 4)");
  EXPECT_EQ(NdArray(DType::kI64, {5}).shape_text(), "(5,)");
  const NdArray scalar(DType::kU8, {});
  EXPECT_EQ(scalar.size(), 1U);
  EXPECT_EQ(scalar.shape_text(), "()");
  EXPECT_EQ(NdArray(DType::kF64, {0, 7}).size(), 0U);
  EXPECT_EQ(NdArray().size(), 0U);
}

TEST(NdArray, RefusesShapesThatOverflow) {
  constexpr std::size_t half = std::size_t{1} << 32;
  test::expect_error<DataError>(
      [] {
        NdArray(DType::kF64, {half, half, half});
      },
      "an array of shape (4294967296, 4294967296, 4294967296) is too "
      "large to address");
  test::expect_error<DataError>(
      [] { NdArray(DType::kF64, {std::numeric_limits<std::size_t>::max() / 8}); },
      "too large to address");
}

TEST(DTypes, HaveNumpysNamesAndSizes) {
  EXPECT_STREQ(dtype_name(DType::kF16), "float16");
  EXPECT_EQ(dtype_size(DType::kF16), 2U);
  EXPECT_STREQ(dtype_name(DType::kU32), "uint32");
  EXPECT_EQ(dtype_size(DType::kU32), 4U);
  EXPECT_STREQ(dtype_name(DType::kBool), "bool");
  EXPECT_EQ(dtype_size(DType::kBool), 1U);
  EXPECT_TRUE(is_floating(DType::kF16));
  EXPECT_FALSE(is_floating(DType::kI8));
}

}  // namespace
}  // namespace cubcal
