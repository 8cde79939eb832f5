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

/// The nearest half, of two as near the even one; infinity beyond the largest, 65504.
inline Half to_half(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return {static_cast<std::uint16_t>(sign | 0x7e00U)};
  if (magnitude >= 0x477ff000U) return {static_cast<std::uint16_t>(sign | 0x7c00U)};
  if (magnitude < 0x38800000U) {
    // Below the smallest normal half: adding 0.5 leaves multiples of 2^-24 in the low bits,
    // rounded.
    float shifted;
    std::memcpy(&shifted, &magnitude, sizeof shifted);
    shifted += 0.5F;
    std::uint32_t rounded;
    std::memcpy(&rounded, &shifted, sizeof rounded);
    return {static_cast<std::uint16_t>(sign | (rounded - 0x3f000000U))};
  }
  const std::uint32_t odd = (magnitude >> 13) & 1U;
  return {static_cast<std::uint16_t>(sign | ((magnitude - (112U << 23) + 0xfffU + odd) >> 13))};
}

}  // namespace cubcal
