#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "cubcal/core/vector_exp.h"

/// What Gaussian weights need of exp and log, in float32 and without branches and library calls, so
/// that compilers turn loops over it into vector instructions. The polynomials are minimax fits.
namespace cubcal {

/// ln(1 + e) for e in [0, 1], relative error below 3e-7: 2 atanh(t) with t = e / (2 + e) <= 1/3.
inline float log_one_plus(float e) {
  const float t = e / (2.0F + e);
  const float z = t * t;
  return t *
         (2.0F + z * (0.666664163F + z * (0.400215289F + z * (0.280017745F + z * 0.280121521F))));
}

/// ln x for normal x > 0: error below 1e-7 or, if larger, 2e-7 of the result.
inline float log_positive(float x) {
  std::uint32_t pattern;
  std::memcpy(&pattern, &x, sizeof pattern);
  // x = 2^e * m with m in [sqrt(1/2), sqrt(2)); ln m = 2 atanh(s), s = (m - 1) / (m + 1).
  const std::uint32_t exponent = (pattern - 0x3f3504f3U) & 0xff800000U;
  const std::uint32_t mantissa = pattern - exponent;
  float m;
  std::memcpy(&m, &mantissa, sizeof m);
  const float s = (m - 1.0F) / (m + 1.0F);
  const float z = s * s;
  const float series = 2.0F + z * (0.66666776F + z * (0.399775725F + z * 0.298709885F));
  return static_cast<float>(static_cast<std::int32_t>(exponent)) * (0.693147181F * 0x1p-23F) +
         s * series;
}

/// sigma = softplus(rho) and d sigma / d rho = sigmoid(rho), each with full relative precision for
/// rho of -87 and above.
struct SigmaAndSlope {
  float sigma, slope;
};
inline SigmaAndSlope sigma_and_slope(float rho) {
  const float e = exp_nonpositive(-std::fabs(rho));
  return {(rho > 0 ? rho : 0.0F) + log_one_plus(e), (rho > 0 ? 1.0F : e) / (1.0F + e)};
}

}  // namespace cubcal
