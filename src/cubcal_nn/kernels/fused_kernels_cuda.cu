#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>

#include "cubcal_nn/kernels/device_pointer.cuh"
#include "cubcal_nn/kernels/fused_draw.cuh"
#include "cubcal_nn/kernels/fused_kernels_device.h"

namespace cubcal::device {

namespace {

constexpr int kThreads = 256;
constexpr int kFoldThreads = 128;

template <class Work>
void with_type(c10::ScalarType dtype, const Work& work) {
  if (dtype == c10::ScalarType::BFloat16) {
    work(Bf16{});
  } else {
    work(float{});
  }
}

cudaStream_t stream() { return c10::cuda::getCurrentCUDAStream(); }

unsigned grid_for(std::int64_t items) {
  return static_cast<unsigned>(std::min<std::int64_t>((items + kThreads - 1) / kThreads, 132 * 32));
}

__device__ std::int64_t thread_index() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::int64_t thread_count() { return std::int64_t{gridDim.x} * blockDim.x; }

template <class Gradient>
__global__ void fold_tiles(const FusedSegment* segments, const FusedTile* tiles,
                           const std::int64_t* pointers, int segment_count,
                           const std::uint32_t* words, int passes, const float* mu,
                           const float* sigma, const float* prior_mean, float prior_sigma,
                           const float* kl_weight, float* mu_gradient, float* rho_gradient,
                           double* kl) {
  const FusedTile tile = tiles[blockIdx.x];
  const int which = tile.segment;
  const FusedSegment segment = segments[which];
  const std::int64_t first_block = tile.first / 4;
  const auto lead = static_cast<int>(tile.first % 4);  // elements of its block before the tile
  const auto first = static_cast<std::int32_t>(tile.first - segment.offset);
  const bool gaussian = sigma != nullptr;
  const float weight = gaussian ? kl_weight[which] : 0.0F;
  double kl_sum = 0;
  for (int b = threadIdx.x; 4 * b < lead + tile.count; b += blockDim.x) {
    const int start = 4 * b - lead;  // in the tile
    RowPlace place = row_place(segment, first + max(start, 0));
    int places[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const bool inside = start + k >= 0 && start + k < tile.count;
      places[k] = inside ? channels_last(segment, place) : -1;
      if (inside) advance(segment, place);
    }
    float plain[4] = {0, 0, 0, 0};
    float noisy[4] = {0, 0, 0, 0};
    for (int pass = 0; pass < passes; ++pass) {
      const auto* gradient =
          reinterpret_cast<const Gradient*>(pointers[pass * segment_count + which]);
      float noise[4] = {0, 0, 0, 0};
      if (gaussian) normal_four(words + 4 * pass, first_block + b, noise);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (places[k] < 0) continue;
        const float g = load(gradient + places[k]);
        plain[k] += g;
        noisy[k] = fmaf(g, noise[k], noisy[k]);
      }
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (places[k] < 0) continue;
      const std::int64_t i = tile.first + start + k;
      if (!gaussian) {
        mu_gradient[i] = plain[k];
        continue;
      }
      const ElementGradient element =
          element_gradient(plain[k], noisy[k], mu[i], sigma[i], prior_mean[i], prior_sigma, weight);
      mu_gradient[i] = element.mu;
      rho_gradient[i] = element.rho;
      kl_sum += static_cast<double>(element.kl);
    }
  }
  if (!gaussian) return;
  __shared__ double sums[kFoldThreads];
  sums[threadIdx.x] = kl_sum;
  __syncthreads();
  for (int half = kFoldThreads / 2; half > 0; half /= 2) {
    if (static_cast<int>(threadIdx.x) < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) kl[blockIdx.x] = sums[0];
}

/// One block of threads per parameter.
__global__ void sum_pointers(const std::int64_t* pointers, const std::int64_t* places, int passes,
                             int parameters, float* sums) {
  const int p = static_cast<int>(blockIdx.x);
  const std::int64_t start = places[2 * p];
  const std::int64_t count = places[2 * p + 1];
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    float sum = 0;
    for (int pass = 0; pass < passes; ++pass) {
      sum += reinterpret_cast<const float*>(pointers[pass * parameters + p])[i];
    }
    sums[start + i] = sum;
  }
}

__global__ void sgd_elements(float* values, const float* gradient, float* momentum,
                             const float* decay, SgdFactors factors, const float* controls,
                             std::int64_t count) {
  if (controls[2] == 0.0F) return;
  factors.learning_rate = controls[0];
  factors.gradient_factor = controls[1];
  for (std::int64_t i = thread_index(); i < count; i += thread_count()) {
    float value = values[i];
    float velocity = momentum[i];
    sgd_element(factors, decay != nullptr ? decay[i] : factors.weight_decay, gradient[i], value,
                velocity);
    values[i] = value;
    momentum[i] = velocity;
  }
}

template <class Number>
__global__ void mask_values(Number* mask, const std::int64_t* samples, const std::uint32_t* words,
                            float rate, float kept, std::int64_t features, std::int64_t count) {
  for (std::int64_t i = thread_index(); i < count; i += thread_count()) {
    const auto sample = static_cast<std::uint32_t>(samples[i / features]);
    store(mask + i, dropout_value(words, sample, i % features, rate, kept));
  }
}

/// `Width` neighbouring channels per thread.
template <class Number, class Bias, int Width>
__global__ void bias_act_packs(Number* x, const Bias* bias, const Number* residual, bool relu,
                               int channels, std::int64_t packs, std::int64_t packs_per_draw) {
  using P = Pack<Number, Width>;
  for (std::int64_t i = thread_index(); i < packs; i += thread_count()) {
    P pack = reinterpret_cast<const P*>(x)[i];
    P added;
    if (residual != nullptr) added = reinterpret_cast<const P*>(residual)[i];
    const auto draw = static_cast<std::int64_t>(packs_per_draw == packs ? 0 : i / packs_per_draw);
    const auto channel = static_cast<int>(i % (channels / Width)) * Width;
    const Bias* of_draw = bias + draw * channels + channel;
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      float y = load(pack.values + k) + load(of_draw + k);
      if (residual != nullptr) y += load(added.values + k);
      store(pack.values + k, relu ? relu_of(y) : y);
    }
    reinterpret_cast<P*>(x)[i] = pack;
  }
}

struct PatchShape {
  int height, width, channels;  ///< of the images, the latter in packs
  int kernel, stride, padding, dilation;
  int out_width;
  int positions;  ///< patches per image
};

template <class P>
__global__ void copy_patches(const P* x, P* patches, PatchShape shape, std::int64_t count) {
  const int row = shape.kernel * shape.kernel * shape.channels;
  for (std::int64_t i = thread_index(); i < count; i += thread_count()) {
    const std::int64_t patch = i / row;
    const int within = static_cast<int>(i - patch * row);
    const int tap = within / shape.channels;
    const int channel = within - tap * shape.channels;
    const std::int64_t image = patch / shape.positions;
    const int position = static_cast<int>(patch - image * shape.positions);
    const int out_y = position / shape.out_width;
    const int out_x = position - out_y * shape.out_width;
    const int tap_y = tap / shape.kernel;
    const int y = out_y * shape.stride - shape.padding + tap_y * shape.dilation;
    const int column =
        out_x * shape.stride - shape.padding + (tap - tap_y * shape.kernel) * shape.dilation;
    P value{};
    if (y >= 0 && y < shape.height && column >= 0 && column < shape.width) {
      value = x[((image * shape.height + y) * shape.width + column) * shape.channels + channel];
    }
    patches[i] = value;
  }
}

/// `Width` neighbouring channels per thread.
template <class Number, int Width>
__global__ void max_pool_packs(const Number* x, Number* y, PatchShape shape, std::int64_t count) {
  using P = Pack<Number, Width>;
  for (std::int64_t i = thread_index(); i < count; i += thread_count()) {
    const std::int64_t place = i / shape.channels;
    const auto channel = static_cast<int>(i - place * shape.channels);
    const std::int64_t image = place / shape.positions;
    const auto position = static_cast<int>(place - image * shape.positions);
    const int out_y = position / shape.out_width;
    const int top = out_y * shape.stride - shape.padding;
    const int left = (position - out_y * shape.out_width) * shape.stride - shape.padding;
    const P* from =
        reinterpret_cast<const P*>(x) + image * shape.height * shape.width * shape.channels;
    float largest[Width];
#pragma unroll
    for (int k = 0; k < Width; ++k) largest[k] = -INFINITY;
    for (int row = 0; row < shape.kernel; ++row) {
      const int at_y = top + row * shape.dilation;
      if (at_y < 0 || at_y >= shape.height) continue;
      for (int column = 0; column < shape.kernel; ++column) {
        const int at_x = left + column * shape.dilation;
        if (at_x < 0 || at_x >= shape.width) continue;
        const P values = from[(at_y * shape.width + at_x) * shape.channels + channel];
#pragma unroll
        for (int k = 0; k < Width; ++k) {
          const float value = load(values.values + k);
          if (value > largest[k] || isnan(value)) largest[k] = value;
        }
      }
    }
    P results;
#pragma unroll
    for (int k = 0; k < Width; ++k) store(results.values + k, largest[k]);
    reinterpret_cast<P*>(y)[i] = results;
  }
}

/// Neighbouring results in a row of an image per thread, which keeps its weights for them.
constexpr int kStrip = 8;

/// A 3x3 depthwise convolution under all draws. In x: the strips of one image, `Width` channels per
/// thread; in y: the images, draw by draw.
template <class Number, int Width>
__global__ void depthwise_strips(const Number* x, const Number* weight, Number* y, PatchShape shape,
                                 int rows, int rows_per_draw, bool shared,
                                 std::int64_t draw_stride) {
  using P = Pack<Number, Width>;
  const int strips = (shape.out_width + kStrip - 1) / kStrip;
  const auto i = static_cast<int>(thread_index());
  const int pack = i % shape.channels;
  const int strip = i / shape.channels % strips;
  const int out_y = i / shape.channels / strips;
  if (out_y >= shape.positions / shape.out_width) return;
  const int last = min((strip + 1) * kStrip, shape.out_width);
  for (int row = static_cast<int>(blockIdx.y); row < rows; row += static_cast<int>(gridDim.y)) {
    const int draw = row / rows_per_draw;
    float weights[Width][9];
    const Number* of_draw = weight + draw * draw_stride + pack * Width * 9;
#pragma unroll
    for (int k = 0; k < 9 * Width; ++k) weights[k / 9][k % 9] = load(of_draw + k);
    const std::int64_t image = shared ? row - draw * rows_per_draw : row;
    const P* from =
        reinterpret_cast<const P*>(x) + image * shape.height * shape.width * shape.channels;
    P* to = reinterpret_cast<P*>(y) + std::int64_t{row} * shape.positions * shape.channels;
    for (int out_x = strip * kStrip; out_x < last; ++out_x) {
      float sums[Width] = {};
#pragma unroll
      for (int tap = 0; tap < 9; ++tap) {
        const int in_y = out_y * shape.stride - shape.padding + tap / 3 * shape.dilation;
        const int in_x = out_x * shape.stride - shape.padding + tap % 3 * shape.dilation;
        if (in_y < 0 || in_y >= shape.height || in_x < 0 || in_x >= shape.width) continue;
        const P values = from[(in_y * shape.width + in_x) * shape.channels + pack];
#pragma unroll
        for (int k = 0; k < Width; ++k) {
          sums[k] = fmaf(load(values.values + k), weights[k][tap], sums[k]);
        }
      }
      P results;
#pragma unroll
      for (int k = 0; k < Width; ++k) store(results.values + k, sums[k]);
      to[(out_y * shape.out_width + out_x) * shape.channels + pack] = results;
    }
  }
}

template <class Number, int Width>
void launch_depthwise(const at::Tensor& x, const at::Tensor& weight, PatchShape shape, bool shared,
                      const at::Tensor& y) {
  shape.channels /= Width;
  const auto rows = static_cast<int>(y.size(0));
  const int strips = (shape.out_width + kStrip - 1) / kStrip;
  const int threads = shape.positions / shape.out_width * strips * shape.channels;
  const dim3 grid(static_cast<unsigned>((threads + kThreads - 1) / kThreads),
                  static_cast<unsigned>(std::min(rows, 65535)));
  depthwise_strips<Number, Width><<<grid, kThreads, 0, stream()>>>(
      pointer<const Number>(x), pointer<const Number>(weight), pointer<Number>(y), shape, rows,
      rows / static_cast<int>(weight.size(0)), shared, weight.stride(0));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

PatchShape patch_shape(const at::Tensor& x, const PatchOptions& options, std::int64_t width,
                       std::int64_t positions) {
  const auto as_int = [](std::int64_t value) { return static_cast<int>(value); };
  return {as_int(x.size(2)),        as_int(x.size(3)),      as_int(x.size(1)),
          as_int(options.kernel),   as_int(options.stride), as_int(options.padding),
          as_int(options.dilation), as_int(width),          as_int(positions)};
}

template <class P>
void launch_patches(const at::Tensor& x, PatchShape shape, int width, const at::Tensor& patches) {
  shape.channels /= width;
  const std::int64_t count = patches.numel() / width;
  copy_patches<P><<<grid_for(count), kThreads, 0, stream()>>>(
      static_cast<const P*>(x.data_ptr()), static_cast<P*>(patches.data_ptr()), shape, count);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

template <class Number, int Width>
void launch_max_pool(const at::Tensor& x, PatchShape shape, const at::Tensor& y) {
  shape.channels /= Width;
  const std::int64_t count = y.numel() / Width;
  max_pool_packs<Number, Width><<<grid_for(count), kThreads, 0, stream()>>>(
      pointer<const Number>(x), pointer<Number>(y), shape, count);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

template <class Number, class Bias, int Width>
void launch_bias_act(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual,
                     bool relu, std::int64_t channels) {
  const std::int64_t packs = x.numel() / Width;
  bias_act_packs<Number, Bias, Width><<<grid_for(packs), kThreads, 0, stream()>>>(
      pointer<Number>(x), pointer<const Bias>(bias), pointer<const Number>(residual), relu,
      static_cast<int>(channels), packs, packs / (bias.numel() / channels));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace

bool has_kernels() { return true; }

void draw(const FusedLayout& layout, const at::Tensor& mu, const at::Tensor& sigma,
          const at::Tensor& words, const NormAffine& affine, const at::Tensor& out) {
  const auto tiles = static_cast<unsigned>(layout.tiles.size());
  const auto passes = static_cast<int>(out.size(0));
  // A dozen blocks or more for each that fits on a large device at once, so that the last ones to
  // run do not matter; beyond that, the more passes a block takes, the less it spends on its start.
  constexpr unsigned kBlocks = 132 * 4 * 16;
  const unsigned slices =
      std::clamp((kBlocks + tiles - 1) / tiles, 1U, static_cast<unsigned>(passes));
  with_type(out.scalar_type(), [&](auto type) {
    using Out = decltype(type);
    const DrawJob<Out> job{pointer<const FusedSegment>(layout.device_segments),
                           pointer<const FusedTile>(layout.device_tiles),
                           pointer<const float>(mu),
                           pointer<const float>(sigma),
                           pointer<const std::uint32_t>(words),
                           pointer<const float>(affine.scale),
                           pointer<const float>(affine.shift),
                           pointer<Out>(out),
                           layout.size,
                           layout.draw_size,
                           passes};
    draw_tiles<<<dim3(tiles, slices), kDrawThreads, 0, stream()>>>(job);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
}

void fold(const FusedLayout& layout, const at::Tensor& pointers, c10::ScalarType dtype,
          const at::Tensor& words, const at::Tensor& mu, const at::Tensor& sigma,
          const at::Tensor& prior_mean, const FoldOptions& options, const at::Tensor& mu_gradient,
          const at::Tensor& rho_gradient, const at::Tensor& kl) {
  with_type(dtype, [&](auto type) {
    fold_tiles<decltype(type)>
        <<<static_cast<unsigned>(layout.tiles.size()), kFoldThreads, 0, stream()>>>(
            pointer<const FusedSegment>(layout.device_segments),
            pointer<const FusedTile>(layout.device_tiles), pointer<const std::int64_t>(pointers),
            static_cast<int>(layout.segments.size()), pointer<const std::uint32_t>(words),
            static_cast<int>(pointers.size(0)), pointer<const float>(mu),
            pointer<const float>(sigma), pointer<const float>(prior_mean),
            static_cast<float>(options.prior_sigma), pointer<const float>(options.kl_weight),
            pointer<float>(mu_gradient), pointer<float>(rho_gradient), pointer<double>(kl));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
}

void sum(const at::Tensor& pointers, const at::Tensor& places, const at::Tensor& sums) {
  const auto parameters = static_cast<unsigned>(pointers.size(1));
  sum_pointers<<<parameters, kThreads, 0, stream()>>>(
      pointer<const std::int64_t>(pointers), pointer<const std::int64_t>(places),
      static_cast<int>(pointers.size(0)), static_cast<int>(parameters), pointer<float>(sums));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

void sgd(const at::Tensor& values, const at::Tensor& gradient, const at::Tensor& momentum,
         const FusedSgdOptions& options, const at::Tensor& controls) {
  const SgdFactors factors{0, static_cast<float>(options.momentum),
                           static_cast<float>(options.weight_decay), 1, options.nesterov};
  sgd_elements<<<grid_for(values.numel()), kThreads, 0, stream()>>>(
      pointer<float>(values), pointer<const float>(gradient), pointer<float>(momentum),
      pointer<const float>(options.decay), factors, pointer<const float>(controls), values.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

void dropout_mask(const at::Tensor& mask, const at::Tensor& samples, const at::Tensor& words,
                  double rate) {
  with_type(mask.scalar_type(), [&](auto type) {
    mask_values<<<grid_for(mask.numel()), kThreads, 0, stream()>>>(
        pointer<decltype(type)>(mask), pointer<const std::int64_t>(samples),
        pointer<const std::uint32_t>(words), static_cast<float>(rate),
        static_cast<float>(1.0 / (1.0 - rate)), mask.size(1), mask.numel());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
}

void bias_act(const at::Tensor& x, const at::Tensor& bias, const at::Tensor& residual, bool relu) {
  const std::int64_t channels = x.dim() == 4 ? x.size(1) : x.size(-1);
  with_type(x.scalar_type(), [&](auto number) {
    with_type(bias.scalar_type(), [&](auto type) {
      using Number = decltype(number);
      using Bias = decltype(type);
      constexpr int kWidth = 16 / sizeof(Number);
      if (channels % kWidth == 0) {
        launch_bias_act<Number, Bias, kWidth>(x, bias, residual, relu, channels);
      } else {
        launch_bias_act<Number, Bias, 1>(x, bias, residual, relu, channels);
      }
    });
  });
}

void patches(const at::Tensor& x, const PatchOptions& options, std::int64_t width,
             const at::Tensor& patches) {
  const PatchShape shape = patch_shape(x, options, width, patches.size(1));
  with_type(x.scalar_type(), [&](auto number) {
    using Number = decltype(number);
    constexpr int kWidth = 16 / sizeof(Number);
    if (x.size(1) % kWidth == 0) {
      launch_patches<Pack<Number, kWidth>>(x, shape, kWidth, patches);
    } else {
      launch_patches<Pack<Number, 1>>(x, shape, 1, patches);
    }
  });
}

void max_pool(const at::Tensor& x, const PatchOptions& window, const at::Tensor& y) {
  const PatchShape shape = patch_shape(x, window, y.size(3), y.size(2) * y.size(3));
  with_type(x.scalar_type(), [&](auto number) {
    using Number = decltype(number);
    constexpr int kWidth = 16 / sizeof(Number);
    if (x.size(1) % kWidth == 0) {
      launch_max_pool<Number, kWidth>(x, shape, y);
    } else {
      launch_max_pool<Number, 1>(x, shape, y);
    }
  });
}

void depthwise(const at::Tensor& x, const at::Tensor& weight, const PatchOptions& options,
               bool shared, const at::Tensor& y) {
  const PatchShape shape = patch_shape(x, options, y.size(3), y.size(2) * y.size(3));
  with_type(x.scalar_type(), [&](auto number) {
    using Number = decltype(number);
    if (x.size(1) % 2 == 0) {
      launch_depthwise<Number, 2>(x, weight, shape, shared, y);
    } else {
      launch_depthwise<Number, 1>(x, weight, shape, shared, y);
    }
  });
}

}  // namespace cubcal::device
