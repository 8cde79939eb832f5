#pragma once

#include <cstdint>
#include <cstring>

/// Stand-ins for what the kernels use of CUDA's header and language, for a C++ compiler.
#define __device__
#define __host__
#define __global__
#define __shared__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

struct __nv_bfloat16 {
  std::uint16_t bits;
};
struct __nv_bfloat162 {
  __nv_bfloat16 first, second;
};
struct float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct Index {
  unsigned x, y;
};

inline float __bfloat162float(__nv_bfloat16 number) {
  const std::uint32_t bits = static_cast<std::uint32_t>(number.bits) << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
/// To the nearest, ties to even; made of numbers alone.
inline __nv_bfloat16 __float2bfloat16(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  bits += 0x7fffU + (bits >> 16 & 1U);
  return {static_cast<std::uint16_t>(bits >> 16)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float first, float second) {
  return {__float2bfloat16(first), __float2bfloat16(second)};
}
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline int max(int a, int b) { return a > b ? a : b; }
inline int min(int a, int b) { return a < b ? a : b; }

extern Index threadIdx, blockIdx;  ///< of the thread that runs now
extern Index blockDim, gridDim;
void __syncthreads();
void __syncwarp();
