#pragma once

#include <cstdint>
#include <cstring>

namespace cubcal {

/// exp(x) for x <= 0 to within 2 units in the last place, 0 below -708. Free of branches and of
/// calls, so that compilers turn a loop over it into vector instructions.
inline double exp_nonpositive(double x) {
  constexpr double lowest = -708.0;
  constexpr double log2_e = 0x1.71547652b82fep+0;
  constexpr double ln2_high = 0x1.62e42fefa3800p-1;
  constexpr double ln2_low = 0x1.ef35793c76730p-45;
  constexpr double round_to_integer = 0x1.8p+52;  // adding it leaves an integer in the low bits
  const double bounded = x > lowest ? x : lowest;
  const double shifted = bounded * log2_e + round_to_integer;
  const double n = shifted - round_to_integer;
  const double r = (bounded - n * ln2_high) - n * ln2_low;  // |r| <= ln(2)/2

  // Degree 11 interpolation of exp at the Chebyshev nodes of that interval, relative error 2e-17.
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double p01 = 1.0 + r;
  const double p23 = 0x1.0000000000011p-1 + r * 0x1.555555555555ap-3;
  const double p45 = 0x1.555555554f0a5p-5 + r * 0x1.111111110f218p-7;
  const double p67 = 0x1.6c16c18804745p-10 + r * 0x1.a01a01b148c00p-13;
  const double p89 = 0x1.a019919593233p-16 + r * 0x1.71ddf5667e394p-19;
  const double p1011 = 0x1.28b41ab9f014bp-22 + r * 0x1.af63371ef88d9p-26;
  const double polynomial = (p01 + r2 * p23) + r4 * ((p45 + r2 * p67) + r4 * (p89 + r2 * p1011));

  std::uint64_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 1023U) << 52;  // the double 2^n
  double power;
  std::memcpy(&power, &bits, sizeof power);
  return x > lowest ? polynomial * power : 0.0;
}

/// The same in single precision: relative error below 1e-7, 0 below -87, and exp(0) = 1 exactly.
inline float exp_nonpositive(float x) {
  constexpr float lowest = -87.0F;
  constexpr float log2_e = 0x1.715476p+0F;
  constexpr float ln2_high = 0x1.62e400p-1F;
  constexpr float ln2_low = 0x1.7f7d1cp-20F;
  constexpr float round_to_integer = 0x1.8p+23F;
  const float bounded = x > lowest ? x : lowest;
  const float shifted = bounded * log2_e + round_to_integer;
  const float n = shifted - round_to_integer;
  const float r = (bounded - n * ln2_high) - n * ln2_low;

  // Degree 6, interpolated likewise with the constant term fixed at 1; relative error 1e-8.
  const float r2 = r * r;
  const float p01 = 1.0F + r;
  const float p23 = 0x1p-1F + r * 0x1.55547cp-3F;
  const float p456 = 0x1.5554e8p-5F + r * 0x1.123e1cp-7F + r2 * 0x1.6d43b0p-10F;
  const float polynomial = p01 + r2 * (p23 + r2 * p456);

  std::uint32_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 127U) << 23;
  float power;
  std::memcpy(&power, &bits, sizeof power);
  return x > lowest ? polynomial * power : 0.0F;
}

}  // namespace cubcal
