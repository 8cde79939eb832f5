#pragma once

#include <cuda_bf16.h>

#include <cstdint>

/// The instructions of compute capability 8.0 and later that a matrix product in bfloat16 is made
/// of: copies from device to shared memory that run beside it, loads of 8x8 matrices from there,
/// and the product of a 16x16 with a 16x8 matrix. On devices before it, where no kernel that needs
/// them is started, they do nothing.
namespace cubcal::device {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define CUBCAL_TENSOR_CORES 1
#else
#define CUBCAL_TENSOR_CORES 0
#endif

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// 16 bytes to shared memory, of which the first `bytes` (0 or 16) are read and the others are 0.
/// Both sides at multiples of 16; with 0 bytes `from` may point anywhere.
__device__ inline void copy_async(std::uint32_t to, const void* from, std::uint32_t bytes) {
#if CUBCAL_TENSOR_CORES
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
#endif
}
/// The same of what will be read again soon, by way of the first cache.
__device__ inline void copy_async_again(std::uint32_t to, const void* from, std::uint32_t bytes) {
#if CUBCAL_TENSOR_CORES
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
#endif
}
/// What will be read later is fetched into the second cache.
__device__ inline void prefetch(const void* from) {
#if CUBCAL_TENSOR_CORES
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
#endif
}
/// The copies since the last call are one group.
__device__ inline void end_copy_group() {
#if CUBCAL_TENSOR_CORES
  asm volatile("cp.async.commit_group;");
#endif
}
/// Until at most `Left` of this thread's groups are under way.
template <int Left>
__device__ inline void wait_for_copies() {
#if CUBCAL_TENSOR_CORES
  asm volatile("cp.async.wait_group %0;" ::"n"(Left));
#endif
}

/// Four 8x8 matrices: lanes 8i ... 8i + 7 name the rows of the i-th, 16 bytes each; lane l gets
/// elements 2 (l % 4) and the next of row l / 4 of each.
__device__ inline void load_matrices(std::uint32_t (&matrices)[4], std::uint32_t row) {
#if CUBCAL_TENSOR_CORES
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
               : "r"(row));
#endif
}

/// sums += a b^T, a 16x16 and b 8x16. a: upper left, lower left, upper right and lower right
/// quarter, b: left and right half. Lane l has columns 2 (l % 4) and the next of rows l / 4 (sums 0
/// and 1) and l / 4 + 8.
__device__ inline void multiply_add(float (&sums)[4], const std::uint32_t (&a)[4],
                                    std::uint32_t b_left, std::uint32_t b_right) {
#if CUBCAL_TENSOR_CORES
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_left), "r"(b_right));
#endif
}

}  // namespace cubcal::device
