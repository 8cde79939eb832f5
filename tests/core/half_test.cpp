#include "cubcal/core/half.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cubcal {
namespace {

/// IEEE 754 binary16 by its definition: sign, 5 exponent bits with bias 15, 10 fraction bits.
double value_of(std::uint32_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>((bits >> 10) & 31U);
  const double fraction = static_cast<double>(bits & 1023U) / 1024.0;
  if (exponent == 0) return sign * std::ldexp(fraction, -14);
  return sign * std::ldexp(1.0 + fraction, exponent - 15);
}

TEST(Half, WidensEveryPattern) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const float actual = to_float(Half{static_cast<std::uint16_t>(bits)});
    ASSERT_EQ(std::signbit(actual), (bits & 0x8000U) != 0) << bits;
    if ((bits & 0x7c00U) != 0x7c00U) {
      ASSERT_EQ(static_cast<double>(actual), value_of(bits)) << bits;
    } else if ((bits & 1023U) == 0) {
      ASSERT_TRUE(std::isinf(actual)) << bits;
    } else {
      ASSERT_TRUE(std::isnan(actual)) << bits;
    }
  }
}

TEST(Half, NarrowsToTheNearestAndTiesToEven) {
  for (std::uint32_t bits = 0; bits < 0x7c00U; ++bits) {
    const float here = to_float(Half{static_cast<std::uint16_t>(bits)});
    ASSERT_EQ(to_half(here).bits, bits);
    ASSERT_EQ(to_half(-here).bits, bits | 0x8000U);
    if (bits + 1 == 0x7c00U) continue;
    const float next = to_float(Half{static_cast<std::uint16_t>(bits + 1)});
    const float between = here + (next - here) / 2;
    ASSERT_EQ(to_half(between).bits, bits + bits % 2) << bits;
    ASSERT_EQ(to_half(std::nextafter(between, 0.0F)).bits, bits) << bits;
    ASSERT_EQ(to_half(std::nextafter(between, next)).bits, bits + 1) << bits;
  }
  EXPECT_EQ(to_half(65519.0F).bits, 0x7bffU);
  EXPECT_EQ(to_half(65520.0F).bits, 0x7c00U);
  EXPECT_EQ(to_half(-INFINITY).bits, 0xfc00U);
  EXPECT_TRUE(std::isnan(to_float(to_half(NAN))));
}

}  // namespace
}  // namespace cubcal
