#pragma once

#include <cstdint>
#include <cstring>

namespace cubcal {

/// IEEE 754 binary16 as it lies in a file; arithmetic is done after widening, which is exact.
struct Half {
  std::uint16_t bits = 0;
};

inline float to_float(Half half) {
  // Shift the 15 magnitude bits into float position; the exponent bias differs by 112, and scaling
  // by 2^112 corrects it for normal and subnormal values alike.
  const std::uint32_t magnitude = static_cast<std::uint32_t>(half.bits & 0x7fffU) << 13;
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000U) << 16;
  float value;
  std::memcpy(&value, &magnitude, sizeof value);
  value *= 0x1p112F;
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  // Infinity and NaN (all exponent bits set) keep their exponent instead of being scaled.
  if ((half.bits & 0x7c00U) == 0x7c00U) bits = magnitude | 0x7f800000U;
  bits |= sign;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace cubcal
