#pragma once

#include <cmath>

/// The functions of src/cubcal_nn/kernels/quick_math.cuh, exact.
namespace cubcal::device {

inline float quick_log2(float x) { return std::log2(x); }
inline float quick_sine(float angle) { return std::sin(angle); }
inline float quick_cosine(float angle) { return std::cos(angle); }

}  // namespace cubcal::device
