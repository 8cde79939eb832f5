#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <type_traits>

#include "cubcal_nn/kernels/device_numbers.cuh"
#include "cubcal_nn/kernels/device_pointer.cuh"
#include "cubcal_nn/kernels/norm_kernels_device.h"

namespace cubcal::device {

namespace {

// A row is a pixel of an image with all its channels, a pack `Width` neighbouring channels of a
// row. In a block threads x take neighbouring packs, threads y rows, so that a thread stays with
// its channels.

struct RowGrid {
  dim3 blocks, threads;
  std::int64_t rows;
  int packs;  ///< of a row
};

constexpr int kNormThreads = 256;
constexpr int kAloneThreads = 512;
constexpr int kProcessors = 132;
/// Up to so many rows one block adds up all of them, which spares a kernel.
constexpr std::int64_t kRowsAlone = 4096;

template <int Width>
RowGrid row_grid(const at::Tensor& x, int threads, int widest, std::int64_t rows_of_thread,
                 std::int64_t most_blocks) {
  RowGrid grid{};
  grid.packs = static_cast<int>(x.size(1) / Width);
  grid.rows = x.numel() / x.size(1);
  const int across = std::min(grid.packs, widest);
  const int down = threads / across;
  const int columns = (grid.packs + across - 1) / across;
  const std::int64_t wanted = (grid.rows + down * rows_of_thread - 1) / (down * rows_of_thread);
  const std::int64_t most = std::max<std::int64_t>(most_blocks / columns, 1);
  grid.threads = dim3(static_cast<unsigned>(across), static_cast<unsigned>(down));
  grid.blocks = dim3(static_cast<unsigned>(columns),
                     static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, most)));
  return grid;
}

template <int Width>
RowGrid grid_of_elements(const at::Tensor& x) {
  return row_grid<Width>(x, kNormThreads, 32, 4, std::int64_t{kProcessors} * 16);
}

template <int Width>
RowGrid grid_of_sums(const at::Tensor& x) {
  if (x.numel() / x.size(1) <= kRowsAlone) {
    return row_grid<Width>(x, kAloneThreads, 4, kRowsAlone, 1);
  }
  return row_grid<Width>(x, kNormThreads, 32, 8, std::int64_t{kProcessors} * 4);
}

template <int Width>
struct PackSums {
  float first[Width] = {};
  float second[Width] = {};
};

/// Adds up what `add(row, sums)` gives over the rows of the grid. A block that is alone with its
/// channels hands the sums to `finish`, others leave them in partial: [blocks, 2, channels].
template <int Width, class Add, class Finish>
__device__ void sum_over_rows(std::int64_t rows, int packs, const Add& add, const Finish& finish,
                              float* partial) {
  extern __shared__ float shared[];
  const int across = static_cast<int>(blockDim.x);
  const int first_pack = static_cast<int>(blockIdx.x) * across;
  const int pack = first_pack + static_cast<int>(threadIdx.x);
  PackSums<Width> sums;
  if (pack < packs) {
    const std::int64_t step = std::int64_t{gridDim.y} * blockDim.y;
#pragma unroll 4
    for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y; row < rows;
         row += step) {
      add(row, sums);
    }
  }
  const int items = 2 * Width * across;
  float* own = shared + (threadIdx.y * across + threadIdx.x) * 2 * Width;
#pragma unroll
  for (int k = 0; k < Width; ++k) {
    own[k] = sums.first[k];
    own[Width + k] = sums.second[k];
  }
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  for (int item = thread; item < items; item += threads) {
    float sum = 0;
    for (int y = 0; y < static_cast<int>(blockDim.y); ++y) sum += shared[y * items + item];
    shared[item] = sum;
  }
  __syncthreads();
  const int channels = packs * Width;
  for (int c = thread; c < across * Width; c += threads) {
    const int channel = first_pack * Width + c;
    if (channel >= channels) continue;
    const float* of_pack = shared + c / Width * 2 * Width + c % Width;
    if (gridDim.y == 1) {
      finish(channel, static_cast<double>(of_pack[0]), static_cast<double>(of_pack[Width]));
    } else {
      partial[(std::int64_t{blockIdx.y} * 2) * channels + channel] = of_pack[0];
      partial[(std::int64_t{blockIdx.y} * 2 + 1) * channels + channel] = of_pack[Width];
    }
  }
}

constexpr int kFinishChannels = 32;
constexpr int kFinishRows = 8;

template <class Finish>
__global__ void finish_sums(const float* partial, int blocks, int channels, Finish finish) {
  __shared__ double sums[2][kFinishRows][kFinishChannels];
  const int channel =
      static_cast<int>(blockIdx.x) * kFinishChannels + static_cast<int>(threadIdx.x);
  double first = 0;
  double second = 0;
  if (channel < channels) {
    for (int b = static_cast<int>(threadIdx.y); b < blocks; b += kFinishRows) {
      first += static_cast<double>(partial[(std::int64_t{b} * 2) * channels + channel]);
      second += static_cast<double>(partial[(std::int64_t{b} * 2 + 1) * channels + channel]);
    }
  }
  sums[0][threadIdx.y][threadIdx.x] = first;
  sums[1][threadIdx.y][threadIdx.x] = second;
  __syncthreads();
  if (threadIdx.y != 0 || channel >= channels) return;
  for (int y = 1; y < kFinishRows; ++y) {
    first += sums[0][y][threadIdx.x];
    second += sums[1][y][threadIdx.x];
  }
  finish(channel, first, second);
}

template <class Finish>
void launch_finish(const at::Tensor& partial, const RowGrid& grid, int channels, Finish finish) {
  const dim3 threads(kFinishChannels, kFinishRows);
  const auto blocks = static_cast<unsigned>((channels + kFinishChannels - 1) / kFinishChannels);
  finish_sums<<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
      pointer<const float>(partial), static_cast<int>(grid.blocks.y), channels, finish);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

/// Undefined where one block is alone with its channels.
at::Tensor partial_sums(const at::Tensor& x, const RowGrid& grid) {
  if (grid.blocks.y == 1) return {};
  return at::empty({static_cast<std::int64_t>(grid.blocks.y), 2, x.size(1)},
                   x.options().dtype(c10::ScalarType::Float));
}

std::size_t bytes_of_sums(const RowGrid& grid, int width) {
  return std::size_t{grid.threads.x} * grid.threads.y * 2 * static_cast<std::size_t>(width) *
         sizeof(float);
}

/// Sums are taken of x less its first value, so that a mean far from 0 costs no digits.
template <class Number>
struct FinishMoments {
  const Number* x;
  double rows;
  double epsilon;
  float *mean, *scale, *batch_mean, *batch_variance;

  __device__ void operator()(int channel, double first, double second) const {
    const double shifted = first / rows;
    const double variance = fmax(second / rows - shifted * shifted, 0.0);
    const auto centre = static_cast<float>(static_cast<double>(load(x + channel)) + shifted);
    mean[channel] = centre;
    scale[channel] = static_cast<float>(1.0 / sqrt(variance + epsilon));
    batch_mean[channel] = centre;
    batch_variance[channel] = static_cast<float>(variance * (rows / fmax(rows - 1, 1.0)));
  }
};

template <class Number, int Width>
__global__ void sum_moments(const Number* __restrict__ x, std::int64_t rows, int packs,
                            FinishMoments<Number> finish, float* partial) {
  using P = Pack<Number, Width>;
  const P* images = reinterpret_cast<const P*>(x);
  const int pack = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const P shift = images[min(pack, packs - 1)];
  sum_over_rows<Width>(
      rows, packs,
      [&](std::int64_t row, PackSums<Width>& sums) {
        const P values = images[row * packs + pack];
#pragma unroll
        for (int k = 0; k < Width; ++k) {
          const float value = load(values.values + k) - load(shift.values + k);
          sums.first[k] += value;
          sums.second[k] = fmaf(value, value, sums.second[k]);
        }
      },
      finish, partial);
}

/// y = factor x + shift of each channel.
template <int Width>
struct PackLine {
  float factor[Width], shift[Width];
};

template <int Width>
__device__ PackLine<Width> line_of(int pack, const float* mean, const float* scale,
                                   const float* weight, const float* bias) {
  PackLine<Width> line;
#pragma unroll
  for (int k = 0; k < Width; ++k) {
    const int channel = pack * Width + k;
    line.factor[k] = weight[channel] * scale[channel];
    line.shift[k] = fmaf(-mean[channel], line.factor[k], bias[channel]);
  }
  return line;
}

template <class Number, int Width>
__global__ void apply_rows(const Number* __restrict__ x, const Number* __restrict__ residual,
                           const float* mean, const float* scale, const float* weight,
                           const float* bias, bool relu, std::int64_t rows, int packs,
                           Number* __restrict__ y) {
  using P = Pack<Number, Width>;
  const int pack = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pack >= packs) return;
  const PackLine<Width> line = line_of<Width>(pack, mean, scale, weight, bias);
  const std::int64_t step = std::int64_t{gridDim.y} * blockDim.y;
#pragma unroll 4
  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y; row < rows;
       row += step) {
    const std::int64_t i = row * packs + pack;
    P values = reinterpret_cast<const P*>(x)[i];
    P added{};
    if (residual != nullptr) added = reinterpret_cast<const P*>(residual)[i];
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      float result = fmaf(load(values.values + k), line.factor[k], line.shift[k]);
      if (residual != nullptr) result += load(added.values + k);
      store(values.values + k, relu ? relu_of(result) : result);
    }
    reinterpret_cast<P*>(y)[i] = values;
  }
}

/// What the way back reads of a pack.
template <class Number, int Width>
struct BackRead {
  const Pack<Number, Width>*gradient, *x, *result;
  NormGate gate;
  PackLine<Width> line;

  /// The gradient that passed the gate.
  __device__ void passed(std::int64_t i, const Pack<Number, Width>& values,
                         float (&slopes)[Width]) const {
    const Pack<Number, Width> slope = gradient[i];
    Pack<Number, Width> results{};
    if (gate == NormGate::kResult) results = result[i];
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      const float gated = gate == NormGate::kResult
                              ? load(results.values + k)
                              : fmaf(load(values.values + k), line.factor[k], line.shift[k]);
      slopes[k] = gate == NormGate::kOpen || gated > 0.0F ? load(slope.values + k) : 0.0F;
    }
  }
};

/// dx = factor passed - tilt (x - mean) - level, per channel.
struct FinishGradients {
  double rows;
  const float *scale, *weight;
  float *weight_gradient, *bias_gradient, *tilt, *level;

  __device__ void operator()(int channel, double first, double second) const {
    const auto s = static_cast<double>(scale[channel]);
    const double factor = static_cast<double>(weight[channel]) * s;
    bias_gradient[channel] = static_cast<float>(first);
    weight_gradient[channel] = static_cast<float>(second * s);
    tilt[channel] = static_cast<float>(factor * s * s * second / rows);
    level[channel] = static_cast<float>(factor * first / rows);
  }
};

struct BackChannels {
  const float *mean, *scale, *weight, *bias, *tilt, *level;
};

template <class Number, int Width>
__device__ BackRead<Number, Width> back_read(const Number* gradient, const Number* x,
                                             const Number* result, NormGate gate, int pack,
                                             const BackChannels& of) {
  using P = Pack<Number, Width>;
  return {reinterpret_cast<const P*>(gradient), reinterpret_cast<const P*>(x),
          reinterpret_cast<const P*>(result), gate,
          line_of<Width>(pack, of.mean, of.scale, of.weight, of.bias)};
}

template <class Number, int Width>
__global__ void sum_gradients(const Number* __restrict__ gradient, const Number* __restrict__ x,
                              const Number* __restrict__ result, NormGate gate, BackChannels of,
                              std::int64_t rows, int packs, FinishGradients finish,
                              float* partial) {
  const int pack = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int inside = min(pack, packs - 1);
  const BackRead<Number, Width> read =
      back_read<Number, Width>(gradient, x, result, gate, inside, of);
  float mean[Width];
#pragma unroll
  for (int k = 0; k < Width; ++k) mean[k] = of.mean[inside * Width + k];
  sum_over_rows<Width>(
      rows, packs,
      [&](std::int64_t row, PackSums<Width>& sums) {
        const Pack<Number, Width> values = read.x[row * packs + pack];
        float slopes[Width];
        read.passed(row * packs + pack, values, slopes);
#pragma unroll
        for (int k = 0; k < Width; ++k) {
          sums.first[k] += slopes[k];
          sums.second[k] = fmaf(slopes[k], load(values.values + k) - mean[k], sums.second[k]);
        }
      },
      finish, partial);
}

template <class Number, int Width>
__global__ void apply_gradients(const Number* __restrict__ gradient, const Number* __restrict__ x,
                                const Number* __restrict__ result, NormGate gate, BackChannels of,
                                std::int64_t rows, int packs, Number* __restrict__ x_gradient,
                                Number* __restrict__ residual_gradient) {
  using P = Pack<Number, Width>;
  const int pack = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pack >= packs) return;
  const BackRead<Number, Width> read =
      back_read<Number, Width>(gradient, x, result, gate, pack, of);
  float tilt[Width];
  float level[Width];
#pragma unroll
  for (int k = 0; k < Width; ++k) {
    const int channel = pack * Width + k;
    tilt[k] = of.tilt[channel];
    level[k] = of.level[channel] - of.mean[channel] * tilt[k];
  }
  const std::int64_t step = std::int64_t{gridDim.y} * blockDim.y;
#pragma unroll 2
  for (std::int64_t row = std::int64_t{blockIdx.y} * blockDim.y + threadIdx.y; row < rows;
       row += step) {
    const std::int64_t i = row * packs + pack;
    const P values = read.x[i];
    float slopes[Width];
    read.passed(i, values, slopes);
    P back;
    P passed;
#pragma unroll
    for (int k = 0; k < Width; ++k) {
      const float along = fmaf(load(values.values + k), tilt[k], level[k]);
      store(back.values + k, fmaf(slopes[k], read.line.factor[k], -along));
      store(passed.values + k, slopes[k]);
    }
    reinterpret_cast<P*>(x_gradient)[i] = back;
    if (residual_gradient != nullptr) reinterpret_cast<P*>(residual_gradient)[i] = passed;
  }
}

template <class Number, int Width>
void launch_moments(const at::Tensor& x, const NormPlace& norm, double epsilon,
                    const NormMoments& moments) {
  const RowGrid grid = grid_of_sums<Width>(x);
  const at::Tensor partial = partial_sums(x, grid);
  const FinishMoments<Number> finish{pointer<const Number>(x),
                                     static_cast<double>(grid.rows),
                                     epsilon,
                                     pointer<float>(moments.mean),
                                     pointer<float>(moments.scale),
                                     pointer<float>(norm.batch_mean),
                                     pointer<float>(norm.batch_variance)};
  sum_moments<Number, Width><<<grid.blocks, grid.threads, bytes_of_sums(grid, Width),
                               c10::cuda::getCurrentCUDAStream()>>>(
      pointer<const Number>(x), grid.rows, grid.packs, finish, pointer<float>(partial));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  if (partial.defined()) launch_finish(partial, grid, static_cast<int>(x.size(1)), finish);
}

template <class Number, int Width>
void launch_apply(const at::Tensor& x, const NormMoments& moments, const NormPlace& norm,
                  const at::Tensor& residual, bool relu, const at::Tensor& y) {
  const RowGrid grid = grid_of_elements<Width>(x);
  apply_rows<Number, Width><<<grid.blocks, grid.threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
      pointer<const Number>(x), pointer<const Number>(residual), pointer<float>(moments.mean),
      pointer<float>(moments.scale), pointer<float>(norm.weight), pointer<float>(norm.bias), relu,
      grid.rows, grid.packs, pointer<Number>(y));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

template <class Number, int Width>
void launch_backward(const at::Tensor& gradient, const at::Tensor& x, const NormMoments& moments,
                     const NormPlace& norm, const NormBackOptions& options,
                     const NormGradients& gradients) {
  const RowGrid sums = grid_of_sums<Width>(x);
  const at::Tensor partial = partial_sums(x, sums);
  const at::Tensor back = at::empty({2, x.size(1)}, moments.mean.options());
  float* tilt = pointer<float>(back);
  const BackChannels of{pointer<float>(moments.mean),
                        pointer<float>(moments.scale),
                        pointer<float>(norm.weight),
                        pointer<float>(norm.bias),
                        tilt,
                        tilt + x.size(1)};
  const FinishGradients finish{static_cast<double>(sums.rows),
                               pointer<float>(moments.scale),
                               pointer<float>(norm.weight),
                               pointer<float>(gradients.weight),
                               pointer<float>(gradients.bias),
                               tilt,
                               tilt + x.size(1)};
  const auto stream = c10::cuda::getCurrentCUDAStream();
  sum_gradients<Number, Width><<<sums.blocks, sums.threads, bytes_of_sums(sums, Width), stream>>>(
      pointer<const Number>(gradient), pointer<const Number>(x),
      pointer<const Number>(options.result), options.gate, of, sums.rows, sums.packs, finish,
      pointer<float>(partial));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  if (partial.defined()) launch_finish(partial, sums, static_cast<int>(x.size(1)), finish);
  const RowGrid grid = grid_of_elements<Width>(x);
  apply_gradients<Number, Width><<<grid.blocks, grid.threads, 0, stream>>>(
      pointer<const Number>(gradient), pointer<const Number>(x),
      pointer<const Number>(options.result), options.gate, of, grid.rows, grid.packs,
      pointer<Number>(gradients.x), pointer<Number>(gradients.residual));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

/// Calls work(a number of x's type, the width of its packs as a constant).
template <class Work>
void with_packs(const at::Tensor& x, const Work& work) {
  const auto of_type = [&](auto number) {
    constexpr int kWidth = 16 / static_cast<int>(sizeof(number));
    if (x.size(1) % kWidth == 0) {
      work(number, std::integral_constant<int, kWidth>{});
    } else {
      work(number, std::integral_constant<int, 1>{});
    }
  };
  if (x.scalar_type() == c10::ScalarType::BFloat16) {
    of_type(Bf16{});
  } else {
    of_type(float{});
  }
}

}  // namespace

void norm_moments(const at::Tensor& x, const NormPlace& norm, double epsilon,
                  const NormMoments& moments) {
  with_packs(x, [&](auto number, auto width) {
    launch_moments<decltype(number), decltype(width)::value>(x, norm, epsilon, moments);
  });
}

void norm_apply(const at::Tensor& x, const NormMoments& moments, const NormPlace& norm,
                const at::Tensor& residual, bool relu, const at::Tensor& y) {
  with_packs(x, [&](auto number, auto width) {
    launch_apply<decltype(number), decltype(width)::value>(x, moments, norm, residual, relu, y);
  });
}

void norm_backward(const at::Tensor& gradient, const at::Tensor& x, const NormMoments& moments,
                   const NormPlace& norm, const NormBackOptions& options,
                   const NormGradients& gradients) {
  with_packs(x, [&](auto number, auto width) {
    launch_backward<decltype(number), decltype(width)::value>(gradient, x, moments, norm, options,
                                                              gradients);
  });
}

}  // namespace cubcal::device
