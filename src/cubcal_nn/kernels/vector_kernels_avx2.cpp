#ifdef __x86_64__

#include <immintrin.h>

#include "cubcal_nn/kernels/normal_lanes.h"
#include "cubcal_nn/kernels/panel_tile.h"
#include "cubcal_nn/kernels/vector_kernels.h"

namespace cubcal {

namespace {

struct Words8 {
  using Vector = std::uint32_t __attribute__((vector_size(32)));
  static constexpr int kGroups = 2;

  static void multiply(Vector words, std::uint32_t factor, Vector& high, Vector& low) {
    constexpr int kOdd = 0xaa;
    const auto w = (__m256i)words;
    const __m256i f = _mm256_set1_epi32(static_cast<int>(factor));
    const __m256i even = _mm256_mul_epu32(w, f);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(w, 32), f);
    low = (Vector)_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), kOdd);
    high = (Vector)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, kOdd);
  }
};

struct Floats8 {
  using Vector = __m256;
  static constexpr int kRows = 4;
  static constexpr int kVectors = 2;
  static constexpr int kTerms = 1;
  static Vector load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Vector value) { _mm256_storeu_ps(to, value); }
  static void add_product(Vector& sum, Vector values, float factor) {
    sum = _mm256_fmadd_ps(values, _mm256_set1_ps(factor), sum);
  }
};

}  // namespace

const VectorKernels kAvx2Kernels{"AVX2", &normal_block_in<Words8>, &multiply_panels_in<Floats8>};

}  // namespace cubcal

#endif
