#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Philox4x32-10 for many counters at once, in vectors of four: the words of philox4x32 in
/// core/philox.h, of which compilers make a loop that waits for its own multiplications.
namespace cubcal {

inline constexpr int kPhiloxLanes = 64;

namespace lanes {

using Words4 = std::uint32_t __attribute__((vector_size(16)));

inline Words4 all(std::uint32_t word) { return Words4{word, word, word, word}; }

/// The upper and lower halves of the four 64-bit products.
inline void multiply(Words4 words, std::uint32_t factor, Words4& high, Words4& low) {
#if defined(__aarch64__)
  const auto w = (uint32x4_t)words;
  const uint32x4_t f = vdupq_n_u32(factor);
  const uint32x4_t first = vreinterpretq_u32_u64(vmull_u32(vget_low_u32(w), vget_low_u32(f)));
  const uint32x4_t second = vreinterpretq_u32_u64(vmull_high_u32(w, f));
  low = (Words4)vuzp1q_u32(first, second);
  high = (Words4)vuzp2q_u32(first, second);
#elif defined(__SSE2__)
  const auto w = (__m128i)words;
  const __m128i f = _mm_set1_epi32(static_cast<int>(factor));
  const auto even = (Words4)_mm_mul_epu32(w, f);
  const auto odd = (Words4)_mm_mul_epu32(_mm_srli_epi64(w, 32), f);
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

}  // namespace lanes

/// words[k][lane] = word k of the block of counter (first_block + lane, row, derived[2],
/// derived[3]) under the key (derived[0], derived[1]).
inline void philox_lanes(std::uint32_t first_block, std::uint32_t row,
                         const std::array<std::uint32_t, 4>& derived,
                         std::uint32_t (&words)[4][kPhiloxLanes]) {
  using lanes::Words4;
  // Four groups side by side hide the latency of a round.
  constexpr int kGroups = 4;
  for (int at = 0; at < kPhiloxLanes; at += 4 * kGroups) {
    Words4 w[kGroups][4];
    for (int g = 0; g < kGroups; ++g) {
      w[g][0] =
          lanes::all(first_block + static_cast<std::uint32_t>(at + 4 * g)) + Words4{0, 1, 2, 3};
      w[g][1] = lanes::all(row);
      w[g][2] = lanes::all(derived[2]);
      w[g][3] = lanes::all(derived[3]);
    }
    std::uint32_t key0 = derived[0];
    std::uint32_t key1 = derived[1];
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      for (int g = 0; g < kGroups; ++g) {
        Words4 high0, low0, high1, low1;
        lanes::multiply(w[g][0], 0xD2511F53U, high0, low0);
        lanes::multiply(w[g][2], 0xCD9E8D57U, high1, low1);
        w[g][0] = high1 ^ (w[g][1] ^ lanes::all(key0));
        w[g][1] = low1;
        w[g][2] = high0 ^ (w[g][3] ^ lanes::all(key1));
        w[g][3] = low0;
      }
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
    for (int g = 0; g < kGroups; ++g) {
      for (int k = 0; k < 4; ++k) std::memcpy(&words[k][at + 4 * g], &w[g][k], sizeof w[g][k]);
    }
  }
}

}  // namespace cubcal
