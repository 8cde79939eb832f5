#pragma once

#include "cubcal_nn/kernels/draws_conv.cuh"

/// The convolution of draws_conv.cuh where results lie where the pixels do: stride 1, and as much
/// padding as leaves images their size. The patches of neighbouring rows are then neighbouring
/// pixels, so that a block keeps the pixels of its tile and those around it in shared memory, 64
/// channels at a time, and every tap reads them there.
namespace cubcal::device {

inline bool keeps_places(const DrawsConvShape& shape) {
  return shape.stride == 1 && shape.kernel > 1 && 2 * shape.padding == shape.kernel - 1 &&
         shape.channels % 64 == 0;
}

/// Where the pixels of a tile and the weights of a step lie in shared memory.
template <class Tile>
struct SameConvMemory {
  int pixels;   ///< of a tile and around it
  int buffers;  ///< of pixels: 2 where the next channels are loaded while these are used

  static constexpr int kOutputBytes = Tile::kOutputs * 128;

  __host__ __device__ explicit SameConvMemory(const DrawsConvShape& shape)
      : pixels(Tile::kRows + 2 * reach(shape)), buffers(shape.channels > Tile::kStep ? 2 : 1) {}
  /// How far the taps of a row lie from it.
  __host__ __device__ static int reach(const DrawsConvShape& shape) {
    return shape.padding * (shape.width + 1);
  }
  __host__ __device__ int pixel_bytes() const { return pixels * 128; }
  /// One row of zeros stands for all pixels outside an image.
  __host__ __device__ int zeros() const { return buffers * pixel_bytes(); }
  __host__ __device__ int outputs() const { return zeros() + 128; }
  __host__ __device__ int bytes() const {
    const int steps = outputs() + Tile::kStages * kOutputBytes;
    const int results = Tile::kThreads / 32 * Tile::kWarpRows * Tile::kPitch * 2;
    return steps > results ? steps : results;
  }
};

/// Copies pixels and weights to shared memory.
template <class Tile, class Bias>
class SameConvLoader {
 public:
  __device__ SameConvLoader(const DrawsConvJob<Bias>& job, const SameConvMemory<Tile>& places,
                            const DrawsConvWork<Tile>& work, std::uint32_t shared)
      : shape_(job.shape), places_(places), lead_(static_cast<int>(threadIdx.x) / Tile::kChunks) {
    const int chunk = static_cast<int>(threadIdx.x) % Tile::kChunks;
    to_ = shared + lead_ * 128 + ((chunk ^ (lead_ & 7)) << 4);
    first_pixel_ = work.first_row - SameConvMemory<Tile>::reach(shape_);
    images_ = job.x + work.draw * job.x_stride + 8 * chunk;
    const int output = work.first_output + lead_;
    outputs_ = job.weight + work.draw * job.weight_stride + std::int64_t{output} * shape_.depth +
               8 * chunk;
#pragma unroll
    for (int i = 0; i < Tile::kOutputLoads; ++i) {
      if (output + i * Tile::kRowsPerLoad < shape_.outputs) of_outputs_ |= 16U << i;
    }
  }

  /// Starts the copies of the pixels' next 64 channels.
  __device__ void load_pixels(int buffer) {
    std::uint32_t to = to_ + buffer * places_.pixel_bytes();
    for (int i = lead_; i < places_.pixels; i += Tile::kRowsPerLoad) {
      const int pixel = first_pixel_ + i;
      const bool inside = pixel >= 0 && pixel < shape_.rows;
      copy_async(to, images_ + std::int64_t{inside ? pixel : 0} * shape_.channels, inside ? 16 : 0);
      to += Tile::kRowsPerLoad * 128;
    }
    images_ += Tile::kStep;
  }

  /// Starts the copies of the next step's weights, into that stage.
  __device__ void load_outputs(int stage) {
    const std::uint32_t to = to_ + places_.outputs() + stage * SameConvMemory<Tile>::kOutputBytes;
    const Bf16* from = outputs_ + tap_ * shape_.channels;
#pragma unroll
    for (int i = 0; i < Tile::kOutputLoads; ++i) {
      copy_async(to + i * Tile::kRowsPerLoad * 128, from, of_outputs_ >> i & 16U);
      from += Tile::kRowsPerLoad * shape_.depth;
    }
    if (++tap_ < shape_.kernel * shape_.kernel) return;
    tap_ = 0;
    outputs_ += Tile::kStep;
  }

 private:
  const DrawsConvShape& shape_;
  const SameConvMemory<Tile>& places_;
  int lead_, first_pixel_, tap_ = 0;
  std::uint32_t to_;
  const Bf16* images_;
  const Bf16* outputs_;
  std::uint32_t of_outputs_ = 0;  ///< bit 4 + i: there is an i-th
};

/// Blocks as those of draws_conv().
template <class Tile, class Bias>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    draws_conv_same(DrawsConvJob<Bias> job) {
  extern __shared__ __align__(128) unsigned char memory[];
  constexpr int kDown = WarpSums<Tile>::kDown;
  const DrawsConvShape& shape = job.shape;
  const DrawsConvWork<Tile> work(shape);
  const int lane_row = work.warp_row + static_cast<int>(threadIdx.x) % 16;
  const int taps = shape.kernel * shape.kernel;
  const int steps = shape.channels / Tile::kStep * taps;
  const SameConvMemory<Tile> places(shape);
  const std::uint32_t shared = shared_address(memory);
  expect_residual(job, work);
  SameConvLoader<Tile, Bias> loader(job, places, work, shared);
  if (threadIdx.x < 8) reinterpret_cast<uint4*>(memory + places.zeros())[threadIdx.x] = {};
  loader.load_pixels(0);
#pragma unroll
  for (int stage = 0; stage < Tile::kStages - 1; ++stage) {
    if (stage < steps) loader.load_outputs(stage);
    end_copy_group();
  }
  std::uint32_t inside[kDown];
  DrawsConvPlace place(shape, work.first_row + lane_row);
#pragma unroll
  for (int i = 0; i < kDown; ++i) {
    inside[i] = work.first_row + lane_row + 16 * i < shape.rows ? taps_inside(shape, place) : 0;
    place.advance(shape, 16);
  }
  WarpSums<Tile> sums;
  int stage = 0;
  int ahead = Tile::kStages - 1;
  int tap = 0;
  int buffer = 0;
  int shift = 0;  // from a row to its tap's pixel
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<Tile::kStages - 2>();
    __syncthreads();  // the step is there, and what is loaded next into has been used
    if (step + Tile::kStages - 1 < steps) loader.load_outputs(ahead);
    if (tap == 0 && step + taps < steps) loader.load_pixels(1 - buffer);
    end_copy_group();
    std::uint32_t rows[kDown];
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
      rows[i] = (inside[i] >> tap & 1U) != 0
                    ? lane_in_row(shared + buffer * places.pixel_bytes(), lane_row + 16 * i + shift)
                    : lane_in_row(shared + places.zeros(), 0);
    }
    sums.add(rows, shared + places.outputs() + stage * SameConvMemory<Tile>::kOutputBytes +
                       work.warp_output * 128);
    ahead = stage;
    stage = stage + 1 == Tile::kStages ? 0 : stage + 1;
    ++shift;
    if (++tap % shape.kernel == 0) shift += shape.width - shape.kernel;
    if (tap == taps) {
      tap = 0;
      shift = 0;
      buffer = 1 - buffer;
    }
  }
  wait_for_copies<0>();
  __syncthreads();
  finish(job, work, sums, reinterpret_cast<Bf16*>(memory));
}

}  // namespace cubcal::device
