#pragma once

#include <cuda_bf16.h>

/// Numbers of the types the kernels read and write; they compute in float.
namespace cubcal::device {

using Bf16 = __nv_bfloat16;

__device__ inline float load(const float* from) { return *from; }
__device__ inline float load(const Bf16* from) { return __bfloat162float(*from); }
__device__ inline void store(float* to, float value) { *to = value; }
__device__ inline void store(Bf16* to, float value) { *to = __float2bfloat16(value); }

/// A NaN stays one, as on a CPU: a network that has lost its numbers shall show it.
__device__ inline float relu_of(float value) { return value < 0.0F ? 0.0F : value; }

/// Neighbouring values in one access, at a multiple of their number.
__device__ inline void store_two(float* to, float a, float b) {
  *reinterpret_cast<float2*>(to) = make_float2(a, b);
}
__device__ inline void store_two(Bf16* to, float a, float b) {
  *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(a, b);
}
__device__ inline void store_four(float* to, float a, float b, float c, float d) {
  *reinterpret_cast<float4*>(to) = make_float4(a, b, c, d);
}
__device__ inline void store_four(Bf16* to, float a, float b, float c, float d) {
  const __nv_bfloat162 low = __floats2bfloat162_rn(a, b);
  const __nv_bfloat162 high = __floats2bfloat162_rn(c, d);
  *reinterpret_cast<uint2*>(to) =
      make_uint2(reinterpret_cast<const unsigned&>(low), reinterpret_cast<const unsigned&>(high));
}

/// `Width` neighbouring values, read and written at once.
template <class Number, int Width>
struct alignas(sizeof(Number) * Width) Pack {
  Number values[Width];
};

}  // namespace cubcal::device
