#include "cubcal_nn/bayes/batched_layers.h"

#include <ATen/ATen.h>

#include <vector>

#include "cubcal_nn/kernels/fused_kernels.h"

namespace cubcal {

namespace {

/// Rows of each draw: [S, N, ...] as a view; shared rows are repeated without a copy.
at::Tensor by_draw(const at::Tensor& rows, std::int64_t draws, bool shared) {
  std::vector<std::int64_t> shape = rows.sizes().vec();
  if (!shared) shape[0] /= draws;
  shape.insert(shape.begin(), draws);
  return shared ? rows.unsqueeze(0).expand(shape) : rows.view(shape);
}

/// Depthwise ones all at once; other convolutions in groups are few and small: draw after draw.
at::Tensor grouped(const at::Tensor& x, const at::Tensor& weight, const Conv2dOptions& options,
                   bool shared) {
  if (options.kernel == 3 && options.groups == options.in_channels &&
      options.out_channels == options.in_channels) {
    return fused_depthwise(x, weight, {3, options.stride, options.padding, options.dilation},
                           shared);
  }
  const std::int64_t draws = weight.size(0);
  std::vector<at::Tensor> results;
  for (std::int64_t s = 0; s < draws; ++s) {
    const at::Tensor rows = shared ? x : x.chunk(draws, 0)[static_cast<std::size_t>(s)];
    results.push_back(at::conv2d(rows, weight[s].permute({0, 3, 1, 2}), {}, options.stride,
                                 options.padding, options.dilation, options.groups));
  }
  return at::cat(results).contiguous(at::MemoryFormat::ChannelsLast);
}

}  // namespace

at::Tensor batched_conv2d(const at::Tensor& x, const at::Tensor& weight,
                          const Conv2dOptions& options, bool shared) {
  if (options.groups > 1) return grouped(x, weight, options, shared);
  const std::int64_t draws = weight.size(0);
  const std::int64_t images = shared ? x.size(0) : x.size(0) / draws;
  const PatchOptions places{options.kernel, options.stride, options.padding, options.dilation};
  const std::int64_t height = patch_places(x.size(2), places);
  const std::int64_t width = patch_places(x.size(3), places);
  const at::Tensor patches = fused_patches(x, places);
  const at::Tensor rows = patches.view({-1, patches.size(2)});
  const at::Tensor products =
      at::bmm(by_draw(rows, draws, shared), weight.flatten(2).transpose(1, 2));
  return products.view({draws * images, height, width, options.out_channels}).permute({0, 3, 1, 2});
}

at::Tensor batched_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const std::int64_t draws = weight.size(0);
  return at::baddbmm(bias.unsqueeze(1), by_draw(x, draws, false), weight.transpose(1, 2))
      .view({x.size(0), weight.size(1)});
}

}  // namespace cubcal
