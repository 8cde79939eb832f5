#pragma once

/// Functions that a GPU has as one instruction, approximately; tiny numbers count as 0.
namespace cubcal::device {

__device__ inline float quick_log2(float x) {
  float value;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(x));
  return value;
}
/// For angles in [-pi, pi].
__device__ inline float quick_sine(float angle) {
  float value;
  asm("sin.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(angle));
  return value;
}
__device__ inline float quick_cosine(float angle) {
  float value;
  asm("cos.approx.ftz.f32 %0, %1;" : "=f"(value) : "f"(angle));
  return value;
}

}  // namespace cubcal::device
