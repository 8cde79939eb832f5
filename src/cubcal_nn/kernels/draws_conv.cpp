#include "cubcal_nn/kernels/draws_conv.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <limits>

#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/draws_conv_device.h"

namespace cubcal {

namespace {

constexpr std::int64_t kMostDraws = 65535;  ///< blocks of a grid in y
constexpr std::int64_t kLargestKernel = 5;  ///< its taps are the bits of a word

/// Groups of eight values of bfloat16 are read at once.
bool by_eights(const at::Tensor& tensor) {
  return reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 16 == 0;
}

bool counts_in_int(std::int64_t size) { return size <= std::numeric_limits<std::int32_t>::max(); }

}  // namespace

bool draws_conv_takes(const at::Tensor& x, const at::Tensor& weight, const PatchOptions& options) {
  return x.is_cuda() && x.scalar_type() == at::kBFloat16 && weight.scalar_type() == at::kBFloat16 &&
         x.size(1) % 8 == 0 && weight.size(1) % 8 == 0 && options.kernel <= kLargestKernel &&
         options.dilation == 1 && weight.stride(0) % 8 == 0 && weight.size(0) <= kMostDraws &&
         counts_in_int(x.numel()) && counts_in_int(weight[0].numel()) && device::has_draws_conv();
}

at::Tensor draws_conv(const at::Tensor& x, const at::Tensor& weight, const PatchOptions& options,
                      bool shared, const ConvFinish& finish) {
  const std::int64_t draws = weight.size(0);
  const at::Tensor input = x.contiguous(at::MemoryFormat::ChannelsLast);
  at::Tensor y = at::empty({shared ? draws * x.size(0) : x.size(0), weight.size(1),
                            patch_places(x.size(2), options), patch_places(x.size(3), options)},
                           x.options().memory_format(at::MemoryFormat::ChannelsLast));
  if (x.size(1) != weight.size(4) || !by_eights(input) || !by_eights(weight) ||
      !weight[0].is_contiguous() ||
      (finish.residual.defined() &&
       (!finish.residual.is_contiguous(at::MemoryFormat::ChannelsLast) ||
        finish.residual.sizes() != y.sizes() || finish.residual.scalar_type() != at::kBFloat16 ||
        !by_eights(finish.residual)))) {
    throw ArgumentError(
        "a convolution of draws takes dense tensors of fitting channels, channels last");
  }
  if (y.numel() > 0) device::draws_conv(input, weight, options, shared, finish, y);
  return y;
}

}  // namespace cubcal
