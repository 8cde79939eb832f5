#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Philox4x32-10 for many counters at once, in vectors: the words of philox4x32 in core/philox.h,
/// of which compilers make a loop that waits for its own multiplications.
namespace cubcal {

inline constexpr int kPhiloxLanes = 64;

/// Vectors that every processor of its kind has. Wider ones have the same members
/// (vector_kernels.h).
struct Words4 {
  using Vector = std::uint32_t __attribute__((vector_size(16)));
  static constexpr int kGroups = 4;  ///< side by side, which hides the latency of a round

  /// The upper and lower halves of the four 64-bit products.
  static void multiply(Vector words, std::uint32_t factor, Vector& high, Vector& low) {
#if defined(__aarch64__)
    const auto w = (uint32x4_t)words;
    const uint32x4_t f = vdupq_n_u32(factor);
    const uint32x4_t first = vreinterpretq_u32_u64(vmull_u32(vget_low_u32(w), vget_low_u32(f)));
    const uint32x4_t second = vreinterpretq_u32_u64(vmull_high_u32(w, f));
    low = (Vector)vuzp1q_u32(first, second);
    high = (Vector)vuzp2q_u32(first, second);
#elif defined(__SSE2__)
    const auto w = (__m128i)words;
    const __m128i f = _mm_set1_epi32(static_cast<int>(factor));
    const auto even = (Vector)_mm_mul_epu32(w, f);
    const auto odd = (Vector)_mm_mul_epu32(_mm_srli_epi64(w, 32), f);
    low = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    high = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
#else
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t product = std::uint64_t{words[i]} * factor;
      low[i] = static_cast<std::uint32_t>(product);
      high[i] = static_cast<std::uint32_t>(product >> 32);
    }
#endif
  }
};

/// words[k][lane] = word k of the block of counter (first_block + lane, row, derived[2],
/// derived[3]) under the key (derived[0], derived[1]).
template <class Words = Words4>
void philox_lanes(std::uint32_t first_block, std::uint32_t row,
                  const std::array<std::uint32_t, 4>& derived,
                  std::uint32_t (&words)[4][kPhiloxLanes]) {
  using Vector = typename Words::Vector;
  constexpr int kWidth = static_cast<int>(sizeof(Vector) / sizeof(std::uint32_t));
  constexpr int kGroups = Words::kGroups;
  Vector places;
  for (int i = 0; i < kWidth; ++i) places[i] = static_cast<std::uint32_t>(i);
  for (int at = 0; at < kPhiloxLanes; at += kWidth * kGroups) {
    Vector w[kGroups][4];
    for (int g = 0; g < kGroups; ++g) {
      w[g][0] = places + (first_block + static_cast<std::uint32_t>(at + kWidth * g));
      w[g][1] = Vector{} + row;
      w[g][2] = Vector{} + derived[2];
      w[g][3] = Vector{} + derived[3];
    }
    std::uint32_t key0 = derived[0];
    std::uint32_t key1 = derived[1];
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 4
      for (int g = 0; g < kGroups; ++g) {
        Vector high0, low0, high1, low1;
        Words::multiply(w[g][0], 0xD2511F53U, high0, low0);
        Words::multiply(w[g][2], 0xCD9E8D57U, high1, low1);
        w[g][0] = high1 ^ (w[g][1] ^ key0);
        w[g][1] = low1;
        w[g][2] = high0 ^ (w[g][3] ^ key1);
        w[g][3] = low0;
      }
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
    for (int g = 0; g < kGroups; ++g) {
      for (int k = 0; k < 4; ++k) {
        std::memcpy(&words[k][at + kWidth * g], &w[g][k], sizeof w[g][k]);
      }
    }
  }
}

}  // namespace cubcal
