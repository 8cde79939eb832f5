#include "cubcal_nn/bayes/block_conv.h"

#include <ATen/ATen.h>

#include "cubcal_nn/bayes/batched_layers.h"
#include "cubcal_nn/kernels/fused_kernels.h"

namespace cubcal {

namespace {

constexpr std::int64_t kSide = 2;  ///< of a block
/// Of images: from more on the channels alone feed matrix units well.
constexpr std::int64_t kFewChannels = 4;

/// [O, C, kernel, kernel] -> [O, blocks, blocks, 2 * 2 * C], the order of fused_patches().
at::Tensor weights_of_blocks(const at::Tensor& weight) {
  const std::int64_t beyond = weight.size(2) % kSide;
  const at::Tensor even = at::constant_pad_nd(weight, {0, beyond, 0, beyond});
  const std::int64_t blocks = even.size(2) / kSide;
  return even.reshape({weight.size(0), weight.size(1), blocks, kSide, blocks, kSide})
      .permute({0, 2, 4, 3, 5, 1})
      .reshape({weight.size(0), blocks, blocks, kSide * kSide * weight.size(1)});
}

}  // namespace

bool is_slow_stem(const at::Tensor& x, const Conv2dOptions& options) {
  const auto is_even = [&](std::int64_t side) { return (side + 2 * options.padding) % kSide == 0; };
  return x.is_cuda() && x.scalar_type() == at::kBFloat16 && options.in_channels <= kFewChannels &&
         options.stride == kSide && options.kernel > kSide && options.groups == 1 &&
         options.dilation == 1 && is_even(x.size(2)) && is_even(x.size(3));
}

at::Tensor conv2d_of_blocks(const at::Tensor& x, const at::Tensor& weight,
                            const Conv2dOptions& options) {
  const PatchOptions blocks{kSide, kSide, options.padding};
  const at::Tensor pixels =
      in_eights(fused_patches(x, blocks))
          .view({x.size(0), patch_places(x.size(2), blocks), patch_places(x.size(3), blocks), -1})
          .permute({0, 3, 1, 2});
  return at::conv2d(pixels, in_eights(weights_of_blocks(weight)).permute({0, 3, 1, 2}));
}

}  // namespace cubcal
