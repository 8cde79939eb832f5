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

at::Tensor products_of_patches(const at::Tensor& x, const at::Tensor& weight,
                               const Conv2dOptions& options, bool shared,
                               const ConvFinish& finish) {
  const std::int64_t draws = weight.size(0);
  const std::int64_t images = shared ? x.size(0) : x.size(0) / draws;
  const PatchOptions places{options.kernel, options.stride, options.padding, options.dilation};
  const std::int64_t height = patch_places(x.size(2), places);
  const std::int64_t width = patch_places(x.size(3), places);
  const at::Tensor patches = fused_patches(x, places);
  if (x.is_cuda() && x.scalar_type() == at::kBFloat16 && options.out_channels % 8 == 0) {
    const at::Tensor padded =
        in_eights(patches).view({x.size(0), height, width, -1}).permute({0, 3, 1, 2});
    const at::Tensor of_draws = in_eights(weight.flatten(2)).unsqueeze(2).unsqueeze(2);
    if (draws_conv_takes(padded, of_draws, {})) {
      return draws_conv(padded, of_draws, {}, shared, finish);
    }
  }
  const at::Tensor rows = patches.view({-1, patches.size(2)});
  const at::Tensor products =
      at::bmm(by_draw(rows, draws, shared), weight.flatten(2).transpose(1, 2));
  return finished(
      products.view({draws * images, height, width, options.out_channels}).permute({0, 3, 1, 2}),
      finish);
}

}  // namespace

at::Tensor in_eights(const at::Tensor& rows) {
  const std::int64_t over = rows.size(-1) % 8;
  return over == 0 ? rows : at::constant_pad_nd(rows, {0, 8 - over});
}

at::Tensor finished(const at::Tensor& y, const ConvFinish& finish) {
  at::Tensor dense = y.contiguous(at::MemoryFormat::ChannelsLast);
  if (finish.bias.defined()) {
    fused_bias_act(dense, finish.bias, finish.residual, finish.relu);
    return dense;
  }
  if (finish.residual.defined()) dense.add_(finish.residual);
  if (finish.relu) dense.relu_();
  return dense;
}

at::Tensor batched_conv2d(const at::Tensor& x, const at::Tensor& weight,
                          const Conv2dOptions& options, bool shared, const ConvFinish& finish) {
  if (options.groups > 1) return finished(grouped(x, weight, options, shared), finish);
  const PatchOptions places{options.kernel, options.stride, options.padding, options.dilation};
  return draws_conv_takes(x, weight, places)
             ? draws_conv(x, weight, places, shared, finish)
             : products_of_patches(x, weight, options, shared, finish);
}

at::Tensor batched_linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const std::int64_t draws = weight.size(0);
  return at::baddbmm(bias.unsqueeze(1), by_draw(x, draws, false), weight.transpose(1, 2))
      .view({x.size(0), weight.size(1)});
}

}  // namespace cubcal
