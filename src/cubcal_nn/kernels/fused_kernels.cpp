#include "cubcal_nn/kernels/fused_kernels.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/fused_formula.h"
#include "cubcal_nn/kernels/fused_kernels_device.h"

namespace cubcal {

namespace {

float load(const float* from) { return *from; }
float load(const c10::BFloat16* from) { return static_cast<float>(*from); }

template <class Work>
void with_type(c10::ScalarType dtype, const Work& work) {
  if (dtype == at::kBFloat16) {
    work(c10::BFloat16{});
  } else {
    work(float{});
  }
}

/// Point parameters have no noise, and any words will do.
const std::uint32_t* words_of(const at::Tensor& words, std::int64_t pass) {
  static constexpr std::uint32_t kNone[4] = {};
  if (!words.defined()) return kNone;
  return reinterpret_cast<const std::uint32_t*>(words.data_ptr<std::int32_t>()) + 4 * pass;
}

/// Tensors name others by their address, as kernels of a GPU read it.
template <class Number>
const Number* at_address(const at::Tensor& addresses, std::int64_t index) {
  return reinterpret_cast<const Number*>(addresses.data_ptr<std::int64_t>()[index]);  // NOLINT
}

/// Calls work(index, noise) for every element of the tile.
template <class Work>
void for_noise(const FusedTile& tile, const std::uint32_t* words, const Work& work) {
  const std::int64_t last = tile.first + tile.count;
  for (std::int64_t block = tile.first / 4; 4 * block < last; ++block) {
    float noise[4];
    normal_four(words, block, noise);
    for (std::int64_t k = 0; k < 4; ++k) {
      const std::int64_t i = 4 * block + k;
      if (i >= tile.first && i < last) work(i, noise[k]);
    }
  }
}

template <class Out>
void draw_on_cpu(const FusedLayout& layout, const at::Tensor& mu, const at::Tensor& sigma,
                 const at::Tensor& words, const NormAffine& affine, const at::Tensor& out) {
  const auto* means = mu.data_ptr<float>();
  const auto* deviations = sigma.defined() ? sigma.data_ptr<float>() : nullptr;
  for (std::int64_t s = 0; s < out.size(0); ++s) {
    Out* drawn = out.data_ptr<Out>() + s * layout.draw_size;
    for (const FusedTile& tile : layout.tiles) {
      const FusedSegment& segment = layout.segments[static_cast<std::size_t>(tile.segment)];
      const bool scaled = segment.affine >= 0 && affine.scale.defined();
      for_noise(tile, words_of(words, s), [&](std::int64_t i, float noise) {
        const RowPlace place = row_place(segment, static_cast<std::int32_t>(i - segment.offset));
        float weight = means[i] + (deviations != nullptr ? deviations[i] * noise : 0.0F);
        if (scaled) {
          const std::int64_t row = segment.affine + place.row;
          weight =
              weight * affine.scale.data_ptr<float>()[row] + affine.shift.data_ptr<float>()[row];
        }
        drawn[segment.place + channels_last(segment, place)] = static_cast<Out>(weight);
      });
    }
  }
}

template <class Gradient>
void fold_on_cpu(const FusedLayout& layout, const at::Tensor& pointers, const at::Tensor& words,
                 const at::Tensor& mu, const at::Tensor& sigma, const at::Tensor& prior_mean,
                 const FoldOptions& options, const at::Tensor& mu_gradient,
                 const at::Tensor& rho_gradient, const at::Tensor& kl) {
  const std::int64_t passes = pointers.size(0);
  const std::int64_t count = pointers.size(1);
  for (std::size_t t = 0; t < layout.tiles.size(); ++t) {
    const FusedTile& tile = layout.tiles[t];
    const FusedSegment& segment = layout.segments[static_cast<std::size_t>(tile.segment)];
    std::vector<float> weight(static_cast<std::size_t>(tile.count), 0.0F);
    std::vector<float> noisy(weight);
    for (std::int64_t s = 0; s < passes; ++s) {
      const auto* gradient = at_address<Gradient>(pointers, s * count + tile.segment);
      for_noise(tile, words_of(words, s), [&](std::int64_t i, float noise) {
        const RowPlace place = row_place(segment, static_cast<std::int32_t>(i - segment.offset));
        const float g = load(gradient + channels_last(segment, place));
        weight[static_cast<std::size_t>(i - tile.first)] += g;
        noisy[static_cast<std::size_t>(i - tile.first)] += g * noise;
      });
    }
    if (!sigma.defined()) {
      std::copy(weight.begin(), weight.end(), mu_gradient.data_ptr<float>() + tile.first);
      continue;
    }
    double kl_sum = 0;
    for (std::int64_t i = tile.first; i < tile.first + tile.count; ++i) {
      const auto j = static_cast<std::size_t>(i - tile.first);
      const ElementGradient element =
          element_gradient(weight[j], noisy[j], mu.data_ptr<float>()[i], sigma.data_ptr<float>()[i],
                           prior_mean.data_ptr<float>()[i], static_cast<float>(options.prior_sigma),
                           options.kl_weight.data_ptr<float>()[tile.segment]);
      mu_gradient.data_ptr<float>()[i] = element.mu;
      rho_gradient.data_ptr<float>()[i] = element.rho;
      kl_sum += static_cast<double>(element.kl);
    }
    kl.data_ptr<double>()[t] = kl_sum;
  }
}

/// Channels of a tensor that is channels last or has its channels in the last dimension.
std::int64_t channels_of(const at::Tensor& x) { return x.dim() == 4 ? x.size(1) : x.size(-1); }

template <class Number, class Bias>
void bias_act_on_cpu(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                     bool relu) {
  const std::int64_t channels = channels_of(x);
  const std::int64_t draws = bias.numel() / channels;
  const std::int64_t per_draw = x.numel() / draws;
  auto* values = x.data_ptr<Number>();
  const auto* added = residual.defined() ? residual.data_ptr<Number>() : nullptr;
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    float y =
        load(values + i) + load(bias.data_ptr<Bias>() + i / per_draw * channels + i % channels);
    if (added != nullptr) y += load(added + i);
    values[i] = static_cast<Number>(relu && y < 0 ? 0.0F : y);
  }
}

void check_act(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual) {
  const auto format = x.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  if (!x.is_contiguous(format) || bias.numel() % channels_of(x) != 0) {
    throw ArgumentError("bias and activation work on tensors that are channels last");
  }
  if (residual.defined() &&
      (!residual.is_contiguous(format) || residual.scalar_type() != x.scalar_type() ||
       residual.sizes() != x.sizes())) {
    throw ArgumentError("a residual must have the shape, type and layout of what it is added to");
  }
}

}  // namespace

bool has_fused_kernels(c10::Device device) {
  return device.is_cpu() || (device.is_cuda() && device::has_kernels());
}

void fused_draw(const FusedLayout& layout, const at::Tensor& mu, const at::Tensor& sigma,
                const at::Tensor& words, const NormAffine& affine, const at::Tensor& out) {
  if (layout.tiles.empty()) return;
  if (out.is_cuda()) return device::draw(layout, mu, sigma, words, affine, out);
  with_type(out.scalar_type(),
            [&](auto type) { draw_on_cpu<decltype(type)>(layout, mu, sigma, words, affine, out); });
}

void fused_fold(const FusedLayout& layout, const at::Tensor& pointers, c10::ScalarType dtype,
                const at::Tensor& words, const at::Tensor& mu, const at::Tensor& sigma,
                const at::Tensor& prior_mean, const FoldOptions& options,
                const at::Tensor& mu_gradient, const at::Tensor& rho_gradient,
                const at::Tensor& kl) {
  if (layout.tiles.empty()) return;
  if (mu.is_cuda()) {
    return device::fold(layout, pointers, dtype, words, mu, sigma, prior_mean, options, mu_gradient,
                        rho_gradient, kl);
  }
  with_type(dtype, [&](auto type) {
    fold_on_cpu<decltype(type)>(layout, pointers, words, mu, sigma, prior_mean, options,
                                mu_gradient, rho_gradient, kl);
  });
}

void fused_sum(const at::Tensor& pointers, const at::Tensor& places, const at::Tensor& sums) {
  if (places.numel() == 0) return;
  if (sums.is_cuda()) return device::sum(pointers, places, sums);
  const std::int64_t count = pointers.size(1);
  const auto* place = places.data_ptr<std::int64_t>();
  for (std::int64_t p = 0; p < count; ++p) {
    for (std::int64_t i = 0; i < place[2 * p + 1]; ++i) {
      float sum = 0;
      for (std::int64_t s = 0; s < pointers.size(0); ++s) {
        sum += at_address<float>(pointers, s * count + p)[i];
      }
      sums.data_ptr<float>()[place[2 * p] + i] = sum;
    }
  }
}

void fused_sgd(const at::Tensor& values, const at::Tensor& gradient, const at::Tensor& momentum,
               const FusedSgdOptions& options, const at::Tensor& controls) {
  if (values.numel() == 0) return;
  if (values.is_cuda()) return device::sgd(values, gradient, momentum, options, controls);
  const float* control = controls.data_ptr<float>();
  if (control[2] == 0) return;
  const SgdFactors factors{control[0], static_cast<float>(options.momentum),
                           static_cast<float>(options.weight_decay), control[1], options.nesterov};
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    const float decay =
        options.decay.defined() ? options.decay.data_ptr<float>()[i] : factors.weight_decay;
    sgd_element(factors, decay, gradient.data_ptr<float>()[i], values.data_ptr<float>()[i],
                momentum.data_ptr<float>()[i]);
  }
}

void fused_dropout_mask(const at::Tensor& mask, const at::Tensor& samples, const at::Tensor& words,
                        double rate) {
  if (mask.numel() == 0) return;
  if (mask.is_cuda()) return device::dropout_mask(mask, samples, words, rate);
  const auto kept = static_cast<float>(1.0 / (1.0 - rate));
  with_type(mask.scalar_type(), [&](auto type) {
    using Number = decltype(type);
    for (std::int64_t i = 0; i < mask.numel(); ++i) {
      const std::int64_t sample = samples.data_ptr<std::int64_t>()[i / mask.size(1)];
      mask.data_ptr<Number>()[i] =
          static_cast<Number>(dropout_value(words_of(words, 0), static_cast<std::uint32_t>(sample),
                                            i % mask.size(1), static_cast<float>(rate), kept));
    }
  });
}

void fused_bias_act(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                    bool relu) {
  check_act(x, bias, residual);
  if (x.numel() == 0) return;
  const at::Tensor dense = bias.contiguous();  // biases of all draws lie apart
  if (x.is_cuda()) return device::bias_act(x, dense, residual, relu);
  with_type(x.scalar_type(), [&](auto number) {
    with_type(bias.scalar_type(), [&](auto type) {
      bias_act_on_cpu<decltype(number), decltype(type)>(x, dense, residual, relu);
    });
  });
}

std::int64_t patch_places(std::int64_t side, const PatchOptions& options) {
  const std::int64_t reach = options.dilation * (options.kernel - 1) + 1;
  return (side + 2 * options.padding - reach) / options.stride + 1;
}

at::Tensor fused_patches(const at::Tensor& x, const PatchOptions& options) {
  const std::int64_t height = patch_places(x.size(2), options);
  const std::int64_t width = patch_places(x.size(3), options);
  const at::Tensor input = x.contiguous(at::MemoryFormat::ChannelsLast);
  if (options.kernel == 1 && options.stride == 1 && options.padding == 0) {
    return input.permute({0, 2, 3, 1}).reshape({x.size(0), height * width, x.size(1)});
  }
  at::Tensor patches = at::empty(
      {x.size(0), height * width, options.kernel * options.kernel * x.size(1)}, x.options());
  if (x.is_cuda()) {
    device::patches(input, options, width, patches);
    return patches;
  }
  // unfold gives [N, C kernel^2, L] with the taps running fastest.
  const at::Tensor columns = at::im2col(
      input.contiguous(), {options.kernel, options.kernel}, {options.dilation, options.dilation},
      {options.padding, options.padding}, {options.stride, options.stride});
  patches.copy_(columns.view({x.size(0), x.size(1), options.kernel * options.kernel, -1})
                    .permute({0, 3, 2, 1})
                    .reshape(patches.sizes()));
  return patches;
}

at::Tensor fused_max_pool(const at::Tensor& x, const PatchOptions& window) {
  if (!x.is_cuda()) {
    return at::max_pool2d(x, window.kernel, window.stride, window.padding, window.dilation);
  }
  const at::Tensor input = x.contiguous(at::MemoryFormat::ChannelsLast);
  at::Tensor y = at::empty(
      {x.size(0), x.size(1), patch_places(x.size(2), window), patch_places(x.size(3), window)},
      x.options().memory_format(at::MemoryFormat::ChannelsLast));
  if (y.numel() > 0) device::max_pool(input, window, y);
  return y;
}

at::Tensor fused_depthwise(const at::Tensor& x, const at::Tensor& weight,
                           const PatchOptions& options, bool shared) {
  const std::int64_t draws = weight.size(0);
  const std::int64_t channels = x.size(1);
  const std::int64_t images = shared ? x.size(0) : x.size(0) / draws;
  if (options.kernel != 3 || weight[0].numel() != 9 * channels ||
      weight.scalar_type() != x.scalar_type() || !weight[0].is_contiguous()) {
    throw ArgumentError("a depthwise convolution takes a 3x3 kernel per channel and draw");
  }
  const at::Tensor input = x.contiguous(at::MemoryFormat::ChannelsLast);
  at::Tensor y = at::empty({draws * images, channels, patch_places(x.size(2), options),
                            patch_places(x.size(3), options)},
                           x.options().memory_format(at::MemoryFormat::ChannelsLast));
  if (y.numel() == 0) return y;
  if (x.is_cuda()) {
    device::depthwise(input, weight, options, shared, y);
    return y;
  }
  for (std::int64_t s = 0; s < draws; ++s) {
    const at::Tensor rows = shared ? input : input.narrow(0, s * images, images);
    y.narrow(0, s * images, images)
        .copy_(at::conv2d(rows, weight[s].view({channels, 1, 3, 3}), {}, options.stride,
                          options.padding, options.dilation, channels));
  }
  return y;
}

}  // namespace cubcal
