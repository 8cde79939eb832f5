#include "cubcal_nn/script/script_layers.h"

#include <ATen/ATen.h>
#include <ATen/core/ivalue.h>
#include <torch/library.h>

#include <algorithm>
#include <utility>

#include "cubcal_nn/kernels/noise.h"
#include "cubcal_nn/kernels/panel_layers.h"

namespace cubcal {

namespace {

constexpr std::size_t kKeyWords = 3;  // of a draw, before the indices
constexpr double kLargestRate = 0.999;

/// c10's in older versions of LibTorch, the standard library's in newer ones.
using OptionalTensor = decltype(std::declval<c10::IValue>().toOptional<at::Tensor>());

/// Broadcasts over x.
at::Tensor script_mask(const at::Tensor& x, double rate, std::int64_t layer, bool channels,
                       at::IntArrayRef draw) {
  if (rate >= 1) return at::zeros({1}, x.options().requires_grad(false));
  std::vector<std::int64_t> samples(draw.begin() + kKeyWords, draw.end());
  if (x.dim() == 0 || x.size(0) % static_cast<std::int64_t>(samples.size()) != 0) samples.resize(1);
  const NoiseKey key{static_cast<std::uint64_t>(draw[0]), static_cast<std::uint64_t>(draw[1]),
                     static_cast<std::uint32_t>(draw[2])};
  std::vector<std::int64_t> shape(x.sizes().begin(), x.sizes().end());
  if (channels) std::fill(shape.begin() + std::min<std::ptrdiff_t>(2, x.dim()), shape.end(), 1);
  std::int64_t features = 1;
  for (const std::int64_t extent : shape) features *= extent;
  features /= static_cast<std::int64_t>(samples.size());
  return dropout_mask(samples, features, std::min(rate, kLargestRate),
                      static_cast<std::uint32_t>(layer), key, x.options().requires_grad(false))
      .view(shape);
}

bool leaves_as_is(const at::Tensor& x, double rate, at::IntArrayRef draw) {
  return draw.size() <= kKeyWords || rate <= 0 || x.numel() == 0;
}

at::Tensor script_dropout(const at::Tensor& x, double rate, std::int64_t layer, bool channels,
                          at::IntArrayRef draw) {
  return leaves_as_is(x, rate, draw) ? x : x * script_mask(x, rate, layer, channels, draw);
}

at::Tensor script_dropout_in_place(const at::Tensor& x, double rate, std::int64_t layer,
                                   bool channels, at::IntArrayRef draw) {
  return leaves_as_is(x, rate, draw) ? x : x.mul_(script_mask(x, rate, layer, channels, draw));
}

at::Tensor script_conv2d(const at::Tensor& x, const at::Tensor& weight, const OptionalTensor& bias,
                         at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                         std::int64_t groups) {
  const auto is_square = [](at::IntArrayRef pair) {
    return std::all_of(pair.begin(), pair.end(), [&](auto each) { return each == pair[0]; });
  };
  const bool square = is_square(stride) && is_square(padding) && is_square(dilation);
  if (!square || !conv_goes_by_panels(x, weight, dilation[0], groups)) {
    return at::conv2d(x, weight, bias, stride, padding, dilation, groups);
  }
  FastConvFinish finish;
  if (bias) finish.bias = *bias;
  return fast_conv2d(x, weight, finish, {stride[0], padding[0], wide_enough_for_winograd(x)});
}

at::Tensor script_linear(const at::Tensor& x, const at::Tensor& weight,
                         const OptionalTensor& bias) {
  return linear_goes_by_panels(x, weight) ? linear_by_panels(x, weight, bias ? *bias : at::Tensor())
                                          : at::linear(x, weight, bias);
}

at::Tensor script_tap(const at::Tensor& x) { return x; }

}  // namespace

at::Symbol dropout_symbol() { return at::Symbol::fromQualString("cubcal::dropout"); }
at::Symbol dropout_in_place_symbol() { return at::Symbol::fromQualString("cubcal::dropout_"); }
at::Symbol conv2d_symbol() { return at::Symbol::fromQualString("cubcal::conv2d"); }
at::Symbol linear_symbol() { return at::Symbol::fromQualString("cubcal::linear"); }
at::Symbol tap_symbol() { return at::Symbol::fromQualString("cubcal::tap"); }

std::vector<std::int64_t> dropout_draw(const ForwardContext& context, std::int64_t rows) {
  std::vector<std::int64_t> draw = {static_cast<std::int64_t>(context.noise.seed),
                                    static_cast<std::int64_t>(context.noise.stream),
                                    static_cast<std::int64_t>(context.noise.pass)};
  const std::vector<std::int64_t> samples = context.sample_indices(rows);
  draw.insert(draw.end(), samples.begin(), samples.end());
  return draw;
}

}  // namespace cubcal

TORCH_LIBRARY(cubcal, library) {
  library.def("dropout(Tensor x, float rate, int layer, bool channels, int[] draw) -> Tensor",
              &cubcal::script_dropout);
  library.def(
      "dropout_(Tensor(a!) x, float rate, int layer, bool channels, int[] draw) -> Tensor(a!)",
      &cubcal::script_dropout_in_place);
  library.def(
      "conv2d(Tensor x, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, "
      "int groups) -> Tensor",
      &cubcal::script_conv2d);
  library.def("linear(Tensor x, Tensor weight, Tensor? bias) -> Tensor", &cubcal::script_linear);
  library.def("tap(Tensor x) -> Tensor", &cubcal::script_tap);
}
