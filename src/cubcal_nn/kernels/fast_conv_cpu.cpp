#include "cubcal_nn/kernels/fast_conv_cpu.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/patch_product.h"
#include "cubcal_nn/kernels/winograd.h"

namespace cubcal {

namespace {

bool is_float_on_cpu(const at::Tensor& tensor) {
  return tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat;
}

const float* values_of(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<float>() : nullptr;
}

/// x with a border of zeros, wider by `more` after the last row and column, in memory that is kept
/// from call to call: valid until the next call on this thread.
const float* with_border(const at::Tensor& x, std::int64_t border, std::int64_t more_rows = 0,
                         std::int64_t more_columns = 0) {
  const float* from = x.data_ptr<float>();
  if (border == 0 && more_rows == 0 && more_columns == 0) return from;
  static thread_local std::vector<float> kept;
  const std::int64_t rows = x.size(2);
  const std::int64_t columns = x.size(3);
  const std::int64_t width = columns + 2 * border + more_columns;
  const std::int64_t plane_size = (rows + 2 * border + more_rows) * width;
  const std::int64_t planes = x.size(0) * x.size(1);
  kept.resize(std::max(kept.size(), static_cast<std::size_t>(planes * plane_size)));
  float* to = kept.data();
  at::parallel_for(0, planes, 16, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t plane = first; plane < last; ++plane) {
      float* out = to + plane * plane_size;
      const float* in = from + plane * rows * columns;
      std::fill(out, out + border * width, 0.0F);
      out += border * width;
      for (std::int64_t y = 0; y < rows; ++y, in += columns, out += width) {
        std::fill(out, out + border, 0.0F);
        std::copy(in, in + columns, out + border);
        std::fill(out + border + columns, out + width, 0.0F);
      }
      std::fill(out, out + (border + more_rows) * width, 0.0F);
    }
  });
  return to;
}

/// The patches of `kernel` x `kernel` of x [B, C, H, W] with its border.
PatchMap forward_map(const at::Tensor& x, std::int64_t kernel, const FastConvOptions& options) {
  PatchMap map{
      x.size(0), x.size(1),     x.size(2) + 2 * options.padding, x.size(3) + 2 * options.padding, 0,
      0,         options.stride};
  map.out_height = (map.height - kernel) / map.stride + 1;
  map.out_width = (map.width - kernel) / map.stride + 1;
  for (std::int64_t c = 0; c < map.channels; ++c) {
    for (std::int64_t y = 0; y < kernel; ++y) {
      for (std::int64_t w = 0; w < kernel; ++w) {
        map.terms.push_back((c * map.height + y) * map.width + w);
      }
    }
  }
  return map;
}

void check(const at::Tensor& x, const at::Tensor& weight, const FastConvOptions& options) {
  if (!fast_conv_takes(x, weight, 1, 1) || options.stride < 1 || options.padding < 0) {
    throw ArgumentError(
        "a fast convolution takes float32 images [B, C, H, W] and weights "
        "[O, C, k, k] on the CPU");
  }
  if (x.size(2) + 2 * options.padding < weight.size(2) ||
      x.size(3) + 2 * options.padding < weight.size(2)) {
    throw ArgumentError("the images of a convolution must be at least as large as its kernel");
  }
}

void check_per_channel(const at::Tensor& tensor, const at::Tensor& weight) {
  if (tensor.defined() && (tensor.dim() != 1 || tensor.size(0) != weight.size(0) ||
                           !is_float_on_cpu(tensor) || !tensor.is_contiguous())) {
    throw ArgumentError(
        "the scale and bias of a convolution must have one float32 per output channel");
  }
}

std::vector<std::int64_t> result_sizes(const at::Tensor& x, const at::Tensor& weight,
                                       const FastConvOptions& options) {
  const auto places = [&](std::int64_t size) {
    return (size + 2 * options.padding - weight.size(2)) / options.stride + 1;
  };
  return {x.size(0), weight.size(0), places(x.size(2)), places(x.size(3))};
}

bool goes_by_winograd(const at::Tensor& weight, const FastConvOptions& options) {
  return options.winograd && weight.size(2) == 3 && options.stride == 1;
}

at::Tensor by_winograd(const at::Tensor& x, const at::Tensor& weight, const ProductFinish& finish,
                       std::int64_t padding) {
  WinogradMap map{x.size(0), x.size(1), x.size(2) + 2 * padding, x.size(3) + 2 * padding, 0, 0};
  map.out_height = map.height - 2;
  map.out_width = map.width - 2;
  map.height += map.height % 2;
  map.width += map.width % 2;
  at::Tensor out =
      at::empty({map.images, weight.size(0), map.out_height, map.out_width}, x.options());
  const float* source = with_border(x, padding, map.out_height % 2, map.out_width % 2);
  winograd_conv(map, source, weight.data_ptr<float>(), weight.size(0), finish,
                out.data_ptr<float>());
  return out;
}

/// Along one axis, for the input places i = phase + stride * j: the taps of the kernel that reach
/// them are first_tap, first_tap + stride, ..., and tap t reads the output place j + reach(t).
struct Phase {
  std::int64_t phase, stride, padding, kernel;

  std::int64_t first_tap() const { return (phase + padding) % stride; }
  std::int64_t taps() const { return (kernel - first_tap() + stride - 1) / stride; }
  std::int64_t reach(std::int64_t tap_index) const {
    return (phase + padding - first_tap()) / stride - tap_index;
  }
  std::int64_t places(std::int64_t size) const { return (size - phase + stride - 1) / stride; }
};

/// d loss / d x of one phase: again a product with patches, those of the gradient of the output.
at::Tensor phase_gradient(const at::Tensor& gradient, const at::Tensor& weight, const Phase& rows,
                          const Phase& columns, std::int64_t height, std::int64_t width) {
  // Reached places lie between -border and size + border - 1.
  const auto border_of = [](const Phase& phase, std::int64_t places, std::int64_t size) {
    return std::max({std::int64_t{0}, -phase.reach(phase.taps() - 1),
                     places - 1 + phase.reach(0) - (size - 1)});
  };
  const std::int64_t high = rows.places(height);
  const std::int64_t wide = columns.places(width);
  const std::int64_t border =
      std::max(border_of(rows, high, gradient.size(2)), border_of(columns, wide, gradient.size(3)));
  PatchMap map{gradient.size(0),
               gradient.size(1),
               gradient.size(2) + 2 * border,
               gradient.size(3) + 2 * border,
               high,
               wide};
  for (std::int64_t o = 0; o < map.channels; ++o) {
    for (std::int64_t y = 0; y < rows.taps(); ++y) {
      for (std::int64_t x = 0; x < columns.taps(); ++x) {
        map.terms.push_back((o * map.height + border + rows.reach(y)) * map.width + border +
                            columns.reach(x));
      }
    }
  }
  const at::Tensor turned = weight.transpose(0, 1)
                                .slice(2, rows.first_tap(), {}, rows.stride)
                                .slice(3, columns.first_tap(), {}, columns.stride)
                                .contiguous();
  at::Tensor out = at::empty({map.images, weight.size(1), high, wide}, gradient.options());
  multiply_patches(map, with_border(gradient, border), turned.data_ptr<float>(), weight.size(1), {},
                   out.data_ptr<float>());
  return out;
}

at::Tensor input_gradient(const at::Tensor& gradient, const at::Tensor& weight,
                          at::IntArrayRef sizes, const FastConvOptions& options) {
  if (goes_by_winograd(weight, options) && options.padding <= 2) {
    const at::Tensor turned = weight.transpose(0, 1).flip({2, 3}).contiguous();
    return by_winograd(gradient, turned, {}, 2 - options.padding);
  }
  const auto phase = [&](std::int64_t index) {
    return Phase{index, options.stride, options.padding, weight.size(2)};
  };
  if (options.stride == 1) {
    return phase_gradient(gradient, weight, phase(0), phase(0), sizes[2], sizes[3]);
  }
  at::Tensor result = at::zeros(sizes, gradient.options());
  for (std::int64_t y = 0; y < std::min(options.stride, sizes[2]); ++y) {
    for (std::int64_t x = 0; x < std::min(options.stride, sizes[3]); ++x) {
      if (phase(y).taps() == 0 || phase(x).taps() == 0) continue;
      result.slice(2, y, {}, options.stride)
          .slice(3, x, {}, options.stride)
          .copy_(phase_gradient(gradient, weight, phase(y), phase(x), sizes[2], sizes[3]));
    }
  }
  return result;
}

at::Tensor weight_gradient(const at::Tensor& gradient, const at::Tensor& x, at::IntArrayRef sizes,
                           const FastConvOptions& options) {
  const PatchMap map = forward_map(x, sizes[2], options);
  // [O, all places of all images]
  const at::Tensor rows = gradient.transpose(0, 1).contiguous();
  at::Tensor result = at::empty(sizes, gradient.options());
  multiply_by_patches(map, with_border(x, options.padding), rows.data_ptr<float>(), sizes[0],
                      result.data_ptr<float>());
  return result;
}

class FastConvolution : public torch::autograd::Function<FastConvolution> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& weight, std::int64_t stride, std::int64_t padding,
                            bool winograd) {
    const at::Tensor images = x.contiguous();
    const at::Tensor weights = weight.contiguous();
    context->save_for_backward({images, weights});
    context->saved_data["stride"] = stride;
    context->saved_data["padding"] = padding;
    context->saved_data["winograd"] = winograd;
    return fast_conv2d(images, weights, {}, {stride, padding, winograd});
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const c10::NoGradGuard no_grad;
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& weight = saved[1];
    const FastConvOptions options{context->saved_data["stride"].toInt(),
                                  context->saved_data["padding"].toInt(),
                                  context->saved_data["winograd"].toBool()};
    const at::Tensor gradient = gradients[0].contiguous();
    torch::autograd::variable_list result(5);
    if (context->needs_input_grad(0)) {
      result[0] = input_gradient(gradient, weight, x.sizes(), options);
    }
    if (context->needs_input_grad(1)) {
      result[1] = weight_gradient(gradient, x, weight.sizes(), options);
    }
    return result;
  }
};

}  // namespace

bool fast_conv_takes(const at::Tensor& x, const at::Tensor& weight, std::int64_t dilation,
                     std::int64_t groups) {
  return dilation == 1 && groups == 1 && x.dim() == 4 && weight.dim() == 4 && x.numel() > 0 &&
         weight.size(1) == x.size(1) && weight.size(2) == weight.size(3) && is_float_on_cpu(x) &&
         is_float_on_cpu(weight);
}

at::Tensor fast_conv2d(const at::Tensor& x, const at::Tensor& weight, const FastConvFinish& finish,
                       const FastConvOptions& options) {
  const c10::NoGradGuard no_grad;
  check(x, weight, options);
  check_per_channel(finish.scale, weight);
  check_per_channel(finish.bias, weight);
  const std::vector<std::int64_t> sizes = result_sizes(x, weight, options);
  const at::Tensor residual =
      finish.residual.defined() ? finish.residual.contiguous() : at::Tensor();
  if (residual.defined() &&
      (residual.sizes() != at::IntArrayRef(sizes) || !is_float_on_cpu(residual))) {
    throw ArgumentError("what is added to a convolution must have the shape of its result");
  }
  const ProductFinish product{values_of(finish.scale), values_of(finish.bias), values_of(residual),
                              finish.relu};
  const at::Tensor images = x.contiguous();
  const at::Tensor weights = weight.contiguous();
  if (goes_by_winograd(weight, options)) {
    return by_winograd(images, weights, product, options.padding);
  }
  at::Tensor out = at::empty(sizes, x.options());
  multiply_patches(forward_map(images, weight.size(2), options),
                   with_border(images, options.padding), weights.data_ptr<float>(), weight.size(0),
                   product, out.data_ptr<float>());
  return out;
}

at::Tensor fast_conv2d_training(const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor& bias, const FastConvOptions& options) {
  check(x, weight, options);
  check_per_channel(bias, weight);
  const at::Tensor products =
      FastConvolution::apply(x, weight, options.stride, options.padding, options.winograd);
  return bias.defined() ? products + bias.view({1, -1, 1, 1}) : products;
}

}  // namespace cubcal
