#pragma once

#include "kernels/emulation/device_block.h"

/// The instructions of src/cubcal_nn/kernels/tensor_core.cuh, emulated.
namespace cubcal::device {

extern unsigned char memory[];

inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(static_cast<const unsigned char*>(pointer) - memory);
}
void copy_async(std::uint32_t to, const void* from, std::uint32_t bytes);
inline void copy_async_again(std::uint32_t to, const void* from, std::uint32_t bytes) {
  copy_async(to, from, bytes);
}
void prefetch(const void* from);
void end_copy_group();
void wait_until_left(int groups);
template <int Left>
void wait_for_copies() {
  wait_until_left(Left);
}
void load_matrices(std::uint32_t (&matrices)[4], std::uint32_t row);
void multiply_add(float (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b_left,
                  std::uint32_t b_right);

}  // namespace cubcal::device
