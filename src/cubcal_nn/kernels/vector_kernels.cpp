#include "cubcal_nn/kernels/vector_kernels.h"

#include "cubcal_nn/kernels/normal_lanes.h"
#include "cubcal_nn/kernels/panel_tile.h"

namespace cubcal {

namespace {

struct Floats4 {
  using Vector = Float4;
#ifdef __aarch64__
  static constexpr int kRows = 8;  // 32 registers, and a product takes its factor from any lane
  static constexpr int kTerms = 4;
#else
  static constexpr int kRows = 4;
  static constexpr int kTerms = 1;
#endif
  static constexpr int kVectors = 2;
  static Vector load(const float* from) { return load4(from); }
  static void store(float* to, Vector value) { store4(to, value); }
  static void add_product(Vector& sum, Vector values, float factor) { sum += values * factor; }
};

constexpr VectorKernels kBaseline{"baseline", &normal_block_in<Words4>,
                                  &multiply_panels_in<Floats4>};

const VectorKernels& widest() {
  static const VectorKernels kernels = vector_kernels_here().front();
  return kernels;
}

}  // namespace

std::vector<VectorKernels> vector_kernels_here() {
  std::vector<VectorKernels> here;
#ifdef __x86_64__
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (has_avx2 && has_avx512) here.push_back(kAvx512Kernels);
  if (has_avx2) here.push_back(kAvx2Kernels);
#endif
  here.push_back(kBaseline);
  return here;
}

void normal_block(std::int64_t first, const NoiseWords& words, float (&values)[kNormalBlock]) {
  widest().normals(first, words, values);
}

void multiply_panels(const float* left, std::int64_t left_stride, std::int64_t rows,
                     const float* panels, std::int64_t panel_stride, std::int64_t columns,
                     std::int64_t depth, bool first, float* c) {
  widest().panels(left, left_stride, rows, panels, panel_stride, columns, depth, first, c);
}

}  // namespace cubcal
