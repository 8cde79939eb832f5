#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define CUBCAL_HOST_DEVICE __host__ __device__ inline
#else
// Always, so that no copy made for one processor's vectors (vector_kernels.h) serves others.
#define CUBCAL_HOST_DEVICE __attribute__((always_inline)) inline
#endif

/// Box-Muller in float32 without branches and library calls, so that compilers vectorise it and
/// every device computes the same thing to rounding. The polynomials are minimax fits.
namespace cubcal {

CUBCAL_HOST_DEVICE float float_of_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// a / b and sqrt(a) of numbers near 1 or of size 1e-7 to 50: to two units in the last place on a
/// GPU, where correct rounding and the care for tiny numbers cost more than all the rest.
CUBCAL_HOST_DEVICE float quotient(float a, float b) {
#ifdef __CUDA_ARCH__
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
  return a * inverse;
#else
  return a / b;
#endif
}
/// (The functions of C: those of C++ are inline ones that may leave a copy, as above.)
CUBCAL_HOST_DEVICE float root(float a) {
#ifdef __CUDA_ARCH__
  float value;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(a));
  return value;
#else
  return ::sqrtf(a);
#endif
}

/// -2 ln u for u = (bits + 1/2) / 2^32, in [0, 45.75]; relative error below 2e-7 away from u = 1.
CUBCAL_HOST_DEVICE float minus_two_log(std::uint32_t bits) {
  const float u = static_cast<float>(bits) * 0x1p-32F + 0x1p-33F;
  std::uint32_t pattern;
  std::memcpy(&pattern, &u, sizeof pattern);
  // u = 2^e * m with m in [sqrt(1/2), sqrt(2)); e stays where a float has its exponent.
  const std::uint32_t exponent = (pattern - 0x3f3504f3U) & 0xff800000U;
  const float m = float_of_bits(pattern - exponent);
  // ln m = 2 atanh(s), s = (m - 1) / (m + 1), |s| <= 0.172; the fit is good to 1e-9.
  const float s = quotient(m - 1.0F, m + 1.0F);
  const float z = s * s;
  const float series = -4.0F + z * (-1.33333552F + z * (-0.79955145F + z * -0.59741977F));
  const auto e = static_cast<float>(static_cast<std::int32_t>(exponent));
  return e * (-1.38629436F * 0x1p-23F) + s * series;
}

/// Two independent standard normal values of two independent words: radius sqrt(-2 ln u), and an
/// angle whose quarter turn is in the top two bits of `angle_bits`.
CUBCAL_HOST_DEVICE void normal_pair(std::uint32_t radius_bits, std::uint32_t angle_bits,
                                    float& first, float& second) {
  // The top bit is half a turn: it turns the sign of both values.
  const float radius = ::copysignf(root(minus_two_log(radius_bits)), float_of_bits(angle_bits));
  // The lower 30 bits, read as signed, place the angle within a quarter turn around it.
  const auto within = static_cast<std::int32_t>(angle_bits << 2);
  const float a = static_cast<float>(within) * (1.57079633F * 0x1p-32F);  // [-pi/4, pi/4)
  const float z = a * a;
  const float sine = a * (1.0F + z * (-0.16666655F + z * (8.33216e-3F + z * -1.9515e-4F)));
  const float cosine = 1.0F + z * (-0.49999885F + z * (4.165578e-2F + z * -1.35919e-3F));
  const bool quarter = (angle_bits & 0x40000000U) != 0;
  first = radius * (quarter ? -sine : cosine);
  second = radius * (quarter ? cosine : sine);
}

}  // namespace cubcal
