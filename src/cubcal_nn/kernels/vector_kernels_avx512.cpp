#ifdef __x86_64__

#include <immintrin.h>

#include "cubcal_nn/kernels/normal_lanes.h"
#include "cubcal_nn/kernels/panel_tile.h"
#include "cubcal_nn/kernels/vector_kernels.h"

namespace cubcal {

namespace {

struct Words16 {
  using Vector = std::uint32_t __attribute__((vector_size(64)));
  static constexpr int kGroups = 2;

  static void multiply(Vector words, std::uint32_t factor, Vector& high, Vector& low) {
    constexpr std::uint64_t kLower = 0xffffffff;
    const __m512i f = _mm512_set1_epi32(static_cast<int>(factor));
    const auto even = product((Pairs)words, f);
    const auto odd = product((Pairs)words >> 32, f);
    low = (Vector)((even & kLower) | odd << 32);
    high = (Vector)(even >> 32 | (odd & ~kLower));
  }

 private:
  using Pairs = std::uint64_t __attribute__((vector_size(64)));

  /// (GCC 12 warns of what its own unmasked intrinsics leave undefined.)
  static Pairs product(Pairs a, __m512i b) {
    return (Pairs)_mm512_maskz_mul_epu32(0xff, (__m512i)a, b);
  }
};

struct Floats16 {
  using Vector = __m512;
  static constexpr int kRows = 8;
  static constexpr int kVectors = 2;
  static constexpr int kTerms = 1;
  static Vector load(const float* from) { return _mm512_loadu_ps(from); }
  static void store(float* to, Vector value) { _mm512_storeu_ps(to, value); }
  static void add_product(Vector& sum, Vector values, float factor) {
    sum = _mm512_fmadd_ps(values, _mm512_set1_ps(factor), sum);
  }
};

}  // namespace

const VectorKernels kAvx512Kernels{"AVX-512", &normal_block_in<Words16>,
                                   &multiply_panels_in<Floats16>};

}  // namespace cubcal

#endif
