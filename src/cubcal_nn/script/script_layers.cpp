#include "cubcal_nn/script/script_layers.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <algorithm>

#include "cubcal_nn/kernels/noise.h"

namespace cubcal {

namespace {

constexpr std::size_t kKeyWords = 3;  // of a draw, before the indices
constexpr double kLargestRate = 0.999;

/// Broadcasts over x.
at::Tensor script_mask(const at::Tensor& x, double rate, std::int64_t layer, bool channels,
                       at::IntArrayRef draw) {
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

at::Tensor script_dropout_in_place(at::Tensor x, double rate, std::int64_t layer, bool channels,
                                   at::IntArrayRef draw) {
  return leaves_as_is(x, rate, draw) ? x : x.mul_(script_mask(x, rate, layer, channels, draw));
}

at::Tensor script_tap(const at::Tensor& x) { return x; }

}  // namespace

at::Symbol dropout_symbol() { return at::Symbol::fromQualString("cubcal::dropout"); }
at::Symbol dropout_in_place_symbol() { return at::Symbol::fromQualString("cubcal::dropout_"); }
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
  library.def("tap(Tensor x) -> Tensor", &cubcal::script_tap);
}
