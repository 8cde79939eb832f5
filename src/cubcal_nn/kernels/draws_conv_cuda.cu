#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>

#include "cubcal_nn/kernels/device_pointer.cuh"
#include "cubcal_nn/kernels/draws_conv_device.h"
#include "cubcal_nn/kernels/draws_conv_tiles.cuh"

namespace cubcal::device {

namespace {

/// That a block of the current device can have.
int most_shared_bytes() {
  int bytes = 0;
  C10_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                        c10::cuda::current_device()));
  return bytes;
}

template <class Job>
void launch(void (*kernel)(Job), const Job& job, const dim3& grid, int threads, int shared_bytes,
            int most_bytes) {
  // One limit for all shapes: it is the process's.
  C10_CUDA_CHECK(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes));
  kernel<<<grid, threads, shared_bytes, c10::cuda::getCurrentCUDAStream()>>>(job);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

DrawsConvShape shape_of(const at::Tensor& x, const PatchOptions& options, const at::Tensor& y,
                        std::int64_t draws) {
  const auto as_int = [](std::int64_t value) { return static_cast<int>(value); };
  const std::int64_t positions = y.size(2) * y.size(3);
  return {as_int(x.size(2)),
          as_int(x.size(3)),
          as_int(x.size(1)),
          as_int(options.kernel),
          as_int(options.stride),
          as_int(options.padding),
          as_int(y.size(2)),
          as_int(y.size(3)),
          as_int(y.size(0) / draws * positions),
          as_int(y.size(1)),
          as_int(options.kernel * options.kernel * x.size(1))};
}

template <class Bias>
void start(const at::Tensor& x, const at::Tensor& weight, const PatchOptions& options, bool shared,
           const ConvFinish& finish, const at::Tensor& y) {
  const std::int64_t draws = weight.size(0);
  const DrawsConvJob<Bias> job{
      shape_of(x, options, y, draws),
      pointer<const Bf16>(x),
      pointer<const Bf16>(weight),
      pointer<const Bias>(finish.bias),
      pointer<const Bf16>(finish.residual),
      pointer<Bf16>(y),
      shared ? 0 : x.numel() / draws,
      weight.stride(0),
      finish.bias.defined() && finish.bias.dim() == 2 ? finish.bias.stride(0) : 0,
      finish.relu};
  const auto grid = [&](auto tile) {
    return dim3(static_cast<unsigned>(tiles_of<decltype(tile)>(job.shape)),
                static_cast<unsigned>(draws));
  };
  const int most_bytes = most_shared_bytes();
  choose_tile(
      job.shape, most_bytes,
      [&](auto tile) {
        using Tile = decltype(tile);
        launch(cubcal::device::draws_conv<Tile, Bias>, job, grid(tile), Tile::kThreads,
               Tile::kSharedBytes, most_bytes);
      },
      [&](auto tile) {
        using Tile = decltype(tile);
        launch(draws_conv_same<Tile, Bias>, job, grid(tile), Tile::kThreads,
               SameConvMemory<Tile>(job.shape).bytes(), most_bytes);
      });
}

}  // namespace

bool has_draws_conv() {
  // Code made for devices before compute capability 8.0 has no matrix units to call.
  cudaFuncAttributes attributes{};
  const auto kernel = cubcal::device::draws_conv<ManyResults, float>;
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.ptxVersion >= 80 && attributes.binaryVersion >= 80;
}

void draws_conv(const at::Tensor& x, const at::Tensor& weight, const PatchOptions& options,
                bool shared, const ConvFinish& finish, const at::Tensor& y) {
  if (finish.bias.defined() && finish.bias.scalar_type() == c10::ScalarType::BFloat16) {
    start<Bf16>(x, weight, options, shared, finish, y);
  } else {
    start<float>(x, weight, options, shared, finish, y);
  }
}

}  // namespace cubcal::device
