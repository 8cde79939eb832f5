#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "cubcal/core/philox.h"
#include "cubcal_nn/kernels/noise_device.h"
#include "cubcal_nn/kernels/normal_formula.h"

namespace cubcal {

namespace {

/// One thread per Philox block of four values.
__global__ void fill_normal(float* out, std::int64_t first_block, std::int64_t count,
                            std::array<std::uint32_t, 4> derived) {
  const std::int64_t blocks = (count + 3) / 4;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < blocks;
       i += stride) {
    const std::array<std::uint32_t, 4> words =
        philox4x32({static_cast<std::uint32_t>(first_block + i), 0, derived[2], derived[3]},
                   {derived[0], derived[1]});
    float values[4];
    normal_pair(words[0], words[1], values[0], values[1]);
    normal_pair(words[2], words[3], values[2], values[3]);
    for (std::int64_t k = 0; k < 4 && 4 * i + k < count; ++k) out[4 * i + k] = values[k];
  }
}

}  // namespace

bool has_device_noise() { return true; }

void normal_noise_on_device(float* out, std::int64_t first, std::int64_t count,
                            const std::array<std::uint32_t, 4>& derived) {
  if (count == 0) return;
  constexpr std::int64_t kThreads = 256;
  const std::int64_t grid =
      std::min<std::int64_t>((count + 4 * kThreads - 1) / (4 * kThreads), 8192);
  fill_normal<<<static_cast<unsigned>(grid), kThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(
      out, first / 4, count, derived);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace cubcal
