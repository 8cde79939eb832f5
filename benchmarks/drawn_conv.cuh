#pragma once

#include "cubcal_nn/kernels/draws_conv.cuh"
#include "cubcal_nn/kernels/fused_formula.h"

/// The convolution of draws_conv.cuh for the last layers of a network, where weights are many and
/// results few: each warp draws the weights it multiplies, 16 outputs of one draw, and holds all
/// results of an image for them, so that drawn weights are never written to memory and no one is
/// drawn twice. Means and deviations of a step are shared by the draws of a block.
namespace cubcal::device {

template <int Kernel, int Side, int Stride, int Slices, int Draws, int Blocks>
struct DrawnConvTile {
  static_assert(Kernel == 1 || Kernel == 3);
  static constexpr int kKernel = Kernel, kTaps = Kernel * Kernel, kPadding = Kernel / 2;
  static constexpr int kOutputs = 16;
  static constexpr int kDraws = Draws;    ///< of a block, a warp each
  static constexpr int kBlocks = Blocks;  ///< that shall fit on a multiprocessor
  static constexpr int kThreads = 32 * Draws;
  static constexpr int kSlices = Slices;  ///< of 16 channels in a step
  static constexpr int kStep = 16 * Slices;
  static constexpr int kSide = Side, kRows = Side * Side;  ///< results of an image
  static constexpr int kGroups = (kRows + 7) / 8;          ///< of 8 results
  static constexpr int kStride = Stride;
  /// Pixels in shared memory: those that are used of a 1x1 convolution, else all with a border.
  static constexpr int kApart = Kernel == 1 ? 1 : Stride;
  static constexpr int kWidth = (Side - 1) * kApart + Kernel;
  static constexpr int kPixels = kWidth * kWidth;
  static constexpr int kDrawBytes = kPixels * kStep * 2;  ///< of the pixels of a draw
  static constexpr int kWeights = kStep * kTaps;          ///< of an output
  /// 16 banks after a multiple of all of them, so that rows two by two meet in none.
  static constexpr int kPitch = kWeights % 32 == 16 ? kWeights : kWeights + 16;
  static constexpr int kTableBytes = kOutputs * kPitch * 4;  ///< of means, or of deviations
  static constexpr int kStageBytes = Draws * kDrawBytes + 2 * kTableBytes;
  static constexpr int kPlaceBytes = (kGroups * 8 * 2 + 15) / 16 * 16;
  static constexpr int kResultBytes = kRows * kOutputs * 2;  ///< of a draw
  static constexpr int kSharedBytes = kPlaceBytes + 2 * kStageBytes;
  static_assert(Draws * kResultBytes <= 2 * kStageBytes);
  static_assert(kSharedBytes <= 227 * 1024);
};

template <class Bias>
struct DrawnConvJob {
  const Bf16* x;           ///< [draws][height, width, channels]
  const float* mean;       ///< [outputs][channels][taps], batch norm folded in
  const float* deviation;  ///< likewise
  std::int64_t offset;     ///< of both in the flat buffer that noise is counted in; 4 divides it
  const std::uint32_t* words;          ///< [draws][4]
  const Bias* bias;                    ///< [draws][outputs], or null
  const Bf16* residual;                ///< like y, or null
  Bf16* y;                             ///< [draws][rows, outputs]
  std::int64_t x_stride, bias_stride;  ///< from one draw to the next; 0: shared
  int height, width, channels, outputs;
  int draws;
  bool relu;
};

__device__ inline std::uint32_t pair_of(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  return reinterpret_cast<const std::uint32_t&>(pair);
}

/// The weights of four channels under all taps, which are as many blocks of noise: pairs[tap] are
/// those of channels 0 and 1, and of 2 and 3.
template <class Noise, int Taps>
__device__ void draw_four_channels(const float* mean, const float* deviation,
                                   const std::uint32_t* words, std::int64_t block,
                                   std::uint32_t (&pairs)[Taps][2]) {
  float weights[4 * Taps];
#pragma unroll
  for (int j = 0; j < Taps; ++j) {
    float noise[4];
    Noise::four(words, block + j, noise);
    const float4 m = reinterpret_cast<const float4*>(mean)[j];
    const float4 d = reinterpret_cast<const float4*>(deviation)[j];
    weights[4 * j] = fmaf(d.x, noise[0], m.x);
    weights[4 * j + 1] = fmaf(d.y, noise[1], m.y);
    weights[4 * j + 2] = fmaf(d.z, noise[2], m.z);
    weights[4 * j + 3] = fmaf(d.w, noise[3], m.w);
  }
#pragma unroll
  for (int tap = 0; tap < Taps; ++tap) {
    pairs[tap][0] = pair_of(weights[tap], weights[Taps + tap]);
    pairs[tap][1] = pair_of(weights[2 * Taps + tap], weights[3 * Taps + tap]);
  }
}

/// What this thread copies and multiplies. Of a slice of 16 channels it has four neighbours, which
/// the product of matrices takes for places 2t, 2t + 1, 2t + 8 and 2t + 9 of its depth: the order
/// of a sum is free, and so pixels are read by 8 bytes, and noise is drawn by whole blocks.
template <class Tile, class Bias>
class DrawnConv {
 public:
  __device__ DrawnConv(const DrawnConvJob<Bias>& job, unsigned char* shared)
      : job_(job),
        shared_(shared),
        lane_(static_cast<int>(threadIdx.x) % 32),
        warp_(static_cast<int>(threadIdx.x) / 32),
        draw_(static_cast<int>(blockIdx.y) * Tile::kDraws + warp_),
        first_output_(static_cast<int>(blockIdx.x) * Tile::kOutputs) {
    constexpr unsigned kAll = 0xffffffffU;
    const uint4 words = reinterpret_cast<const uint4*>(job.words)[min(draw_, job.draws - 1)];
    words_[0] = __shfl_sync(kAll, words.x, 0);
    words_[1] = __shfl_sync(kAll, words.y, 0);
    words_[2] = __shfl_sync(kAll, words.z, 0);
    words_[3] = __shfl_sync(kAll, words.w, 0);
  }

  template <class Noise>
  __device__ void run() {
    const int steps = job_.channels / Tile::kStep;
    clear();
    __syncthreads();
    load(0, 0);
    end_copy_group();
    for (int step = 0; step < steps; ++step) {
      wait_for_copies<0>();
      __syncthreads();  // the step is there, and what is loaded next into has been used
      if (step + 1 < steps) load(step + 1, (step + 1) % 2);
      end_copy_group();
#pragma unroll
      for (int slice = 0; slice < Tile::kSlices; ++slice) {
        add<Noise>(step * Tile::kStep, slice, stage(step % 2));
      }
    }
    wait_for_copies<0>();
    __syncthreads();
    finish();
  }

 private:
  __device__ unsigned char* stage(int number) const {
    return shared_ + Tile::kPlaceBytes + number * Tile::kStageBytes;
  }
  __device__ const std::uint16_t* places() const {
    return reinterpret_cast<const std::uint16_t*>(shared_);
  }

  /// Borders are never written again; the places of results are worked out once.
  __device__ void clear() {
    if constexpr (Tile::kPadding > 0) {
      for (int i = static_cast<int>(threadIdx.x); i < 2 * Tile::kStageBytes / 16;
           i += Tile::kThreads) {
        reinterpret_cast<uint4*>(stage(0))[i] = uint4{0, 0, 0, 0};
      }
    }
    for (int i = static_cast<int>(threadIdx.x); i < Tile::kGroups * 8; i += Tile::kThreads) {
      const int row = i < Tile::kRows ? i : 0;
      const int place = (row / Tile::kSide * Tile::kWidth + row % Tile::kSide) * Tile::kApart;
      reinterpret_cast<std::uint16_t*>(shared_)[i] = static_cast<std::uint16_t>(place * 32);
    }
  }

  /// Starts the copies of a step: each warp those of its pixels, all together the tables.
  __device__ void load(int step, int number) {
    const int channel = step * Tile::kStep;
    const std::uint32_t start_of_stage = shared_address(stage(number));
    constexpr int pieces = Tile::kStep / 8;  // of 16 bytes
    if (draw_ < job_.draws) {
      const Bf16* images = job_.x + draw_ * job_.x_stride + channel;
      const std::uint32_t to = start_of_stage + warp_ * Tile::kDrawBytes;
      const int lines = Tile::kPadding > 0 ? job_.height : Tile::kSide;
      const int columns = Tile::kPadding > 0 ? job_.width : Tile::kSide;
      for (int i = lane_; i < lines * columns * pieces; i += 32) {
        const int piece = i % pieces;
        const int pixel = i / pieces;
        const int y = pixel / columns;
        const int x = pixel - y * columns;
        const int place = (y + Tile::kPadding) * Tile::kWidth + x + Tile::kPadding;
        const int from =
            Tile::kPadding > 0 ? pixel : y * Tile::kStride * job_.width + x * Tile::kStride;
        if (y + Tile::kPadding >= Tile::kWidth || x + Tile::kPadding >= Tile::kWidth) continue;
        copy_async(to + (piece / 2 * Tile::kPixels + place) * 32 + piece % 2 * 16,
                   images + std::int64_t{from} * job_.channels + 8 * piece, 16);
      }
    }
    constexpr int fours = Tile::kWeights / 4;
    const std::uint32_t tables = start_of_stage + Tile::kDraws * Tile::kDrawBytes;
    const std::int64_t row = std::int64_t{job_.channels} * Tile::kTaps;
    const std::int64_t start = first_output_ * row + std::int64_t{channel} * Tile::kTaps;
    for (int i = static_cast<int>(threadIdx.x); i < 2 * Tile::kOutputs * fours;
         i += Tile::kThreads) {
      const int four = i % fours;
      const int output = i / fours % Tile::kOutputs;
      const int which = i / (fours * Tile::kOutputs);
      const float* table = which == 0 ? job_.mean : job_.deviation;
      copy_async(tables + which * Tile::kTableBytes + (output * Tile::kPitch + 4 * four) * 4,
                 table + start + output * row + 4 * four, 16);
    }
  }

  template <class Noise>
  __device__ void add(int channel, int slice, const unsigned char* from) {
    const int four = lane_ % 4;
    const auto* means = reinterpret_cast<const float*>(from + Tile::kDraws * Tile::kDrawBytes);
    const float* deviations = means + Tile::kTableBytes / 4;
    const int within = (16 * slice + 4 * four) * Tile::kTaps;
    std::uint32_t weights[2][Tile::kTaps][2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int output = lane_ / 4 + 8 * half;
      const std::int64_t element =
          job_.offset +
          (std::int64_t{first_output_ + output} * job_.channels + channel) * Tile::kTaps + within;
      const int place = output * Tile::kPitch + within;
      draw_four_channels<Noise>(means + place, deviations + place, words_, element / 4,
                                weights[half]);
    }
    const unsigned char* pixels =
        from + warp_ * Tile::kDrawBytes + slice * Tile::kPixels * 32 + 8 * four;
#pragma unroll
    for (int group = 0; group < Tile::kGroups; ++group) {
      const unsigned char* pixel = pixels + places()[8 * group + lane_ / 4];
#pragma unroll
      for (int tap = 0; tap < Tile::kTaps; ++tap) {
        const int shift = tap / Tile::kKernel * Tile::kWidth + tap % Tile::kKernel;
        const uint2 b = *reinterpret_cast<const uint2*>(pixel + 32 * shift);
        const std::uint32_t a[4] = {weights[0][tap][0], weights[1][tap][0], weights[0][tap][1],
                                    weights[1][tap][1]};
        multiply_add(sums_[group], a, b.x, b.y);
      }
    }
  }

  /// As finish() of draws_conv.cuh: by way of shared memory, so that neighbours are written.
  __device__ void finish() {
    Bf16* const own = reinterpret_cast<Bf16*>(stage(0) + warp_ * Tile::kResultBytes);
    if (draw_ >= job_.draws) return;
    const std::int64_t start = std::int64_t{draw_} * Tile::kRows * job_.outputs + first_output_;
    const auto for_packs = [&](auto&& use) {
      for (int i = lane_; i < 2 * Tile::kRows; i += 32) {
        use(reinterpret_cast<uint4*>(own + 8 * i),
            start + std::int64_t{i / 2} * job_.outputs + i % 2 * 8);
      }
    };
    if (job_.residual != nullptr) {
      for_packs([&](uint4* here, std::int64_t place) {
        copy_async(shared_address(here), job_.residual + place, 16);
      });
      end_copy_group();
      wait_for_copies<0>();
    }
    __syncwarp();
    float bias[2] = {0, 0};
    for (int half = 0; half < 2 && job_.bias != nullptr; ++half) {
      bias[half] = cubcal::device::load(job_.bias + draw_ * job_.bias_stride + first_output_ +
                                        lane_ / 4 + 8 * half);
    }
#pragma unroll
    for (int group = 0; group < Tile::kGroups; ++group) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int row = 8 * group + lane_ % 4 * 2 + k % 2;
        if (row >= Tile::kRows) continue;
        Bf16* here = own + row * Tile::kOutputs + lane_ / 4 + k / 2 * 8;
        float value = sums_[group][k] + bias[k / 2];
        if (job_.residual != nullptr) value += cubcal::device::load(here);
        store(here, job_.relu ? relu_of(value) : value);
      }
    }
    __syncwarp();
    for_packs([&](const uint4* here, std::int64_t place) {
      *reinterpret_cast<uint4*>(job_.y + place) = *here;
    });
  }

  const DrawnConvJob<Bias>& job_;
  unsigned char* const shared_;
  const int lane_, warp_, draw_, first_output_;
  std::uint32_t words_[4];
  float sums_[Tile::kGroups][4] = {};
};

/// Blocks of 16 outputs in x and of Tile::kDraws draws in y.
template <class Tile, class Noise, class Bias>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    drawn_conv(DrawnConvJob<Bias> job) {
  extern __shared__ __align__(128) unsigned char memory[];
  DrawnConv<Tile, Bias>(job, memory).template run<Noise>();
}

}  // namespace cubcal::device
