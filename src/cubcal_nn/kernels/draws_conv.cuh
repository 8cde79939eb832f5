#pragma once

#include "cubcal_nn/kernels/device_numbers.cuh"
#include "cubcal_nn/kernels/tensor_core.cuh"

/// A convolution whose weights come as many draws at once, each for its own images, in bfloat16
/// with sums in float32: per draw the product of a matrix of patches [rows, depth] with the weights
/// [outputs, depth]. Patches are never written: a block gathers the ones of its tile where they lie
/// in the images, a step of `kStep` places of the depth ahead of the multiplication. Bias, residual
/// and ReLU are added to the sums.
namespace cubcal::device {

struct DrawsConvShape {
  int height, width, channels;  ///< of the images; channels a multiple of 8
  int kernel, stride, padding;
  int out_height, out_width;
  int rows;     ///< results per draw and channel
  int outputs;  ///< channels of the results, a multiple of 8
  int depth;    ///< kernel^2 channels
};

template <class Bias>
struct DrawsConvJob {
  DrawsConvShape shape;
  const Bf16* x;         ///< [draws][images, height, width, channels]
  const Bf16* weight;    ///< [draws][outputs, kernel, kernel, channels]
  const Bias* bias;      ///< [draws][outputs], or null
  const Bf16* residual;  ///< like y, or null
  Bf16* y;               ///< [draws][rows, outputs]
  std::int64_t x_stride, weight_stride, bias_stride;  ///< from one draw to the next; 0: shared
  bool relu;
};

/// What a block works on. A warp has kWarpRows x kWarpOutputs of it.
template <int Rows, int Outputs, int WarpRows, int WarpOutputs, int Stages, int Blocks>
struct DrawsConvTile {
  static constexpr int kRows = Rows, kOutputs = Outputs;
  static constexpr int kWarpRows = WarpRows, kWarpOutputs = WarpOutputs;
  static constexpr int kStages = Stages;  ///< steps in shared memory
  static constexpr int kBlocks = Blocks;  ///< blocks that shall fit on a multiprocessor
  static constexpr int kStep = 64;
  static constexpr int kChunks = kStep / 8;  ///< of 16 bytes
  static constexpr int kWarpsDown = Rows / WarpRows;
  static constexpr int kThreads = 32 * kWarpsDown * (Outputs / WarpOutputs);
  static constexpr int kRowsPerLoad = kThreads / kChunks;
  static constexpr int kRowLoads = Rows / kRowsPerLoad;
  static constexpr int kOutputLoads = Outputs / kRowsPerLoad;
  static constexpr int kStageBytes = (Rows + Outputs) * kStep * 2;
  static constexpr int kPitch = WarpOutputs + 8;  ///< of a warp's results in shared memory
  static constexpr int kSharedBytes = kStages * kStageBytes;
  static_assert(Rows % WarpRows == 0 && Outputs % WarpOutputs == 0);
  static_assert(WarpRows % 16 == 0 && WarpOutputs % 16 == 0);
  static_assert(kRowsPerLoad % 8 == 0, "a thread has the same place in every row it loads");
  static_assert(Rows % kRowsPerLoad == 0 && Outputs % kRowsPerLoad == 0);
  static_assert(WarpRows * WarpOutputs % 256 == 0, "a warp stores 32 packs of 8 results at once");
  static_assert(Outputs % 64 == 0, "a line of 128 bytes of results");
  static_assert(kThreads / 32 * WarpRows * kPitch * 2 <= kSharedBytes);
};

/// Of a grid with the tiles of a draw in x, those of the same rows side by side, and draws in y:
/// what this block makes, and where in it this warp's part lies.
template <class Tile>
struct DrawsConvWork {
  int draw, first_row, first_output;
  int warp, warp_row, warp_output;

  __device__ explicit DrawsConvWork(const DrawsConvShape& shape) {
    const int across = (shape.outputs + Tile::kOutputs - 1) / Tile::kOutputs;
    draw = static_cast<int>(blockIdx.y);
    first_row = static_cast<int>(blockIdx.x) / across * Tile::kRows;
    first_output = static_cast<int>(blockIdx.x) % across * Tile::kOutputs;
    warp = static_cast<int>(threadIdx.x) / 32;
    warp_row = warp % Tile::kWarpsDown * Tile::kWarpRows;
    warp_output = warp / Tile::kWarpsDown * Tile::kWarpOutputs;
  }
};

/// Which result of which image a row is.
struct DrawsConvPlace {
  int image, y, x;

  __device__ DrawsConvPlace(const DrawsConvShape& shape, int row) {
    y = row / shape.out_width;
    x = row - y * shape.out_width;
    image = y / shape.out_height;
    y -= image * shape.out_height;
  }
  __device__ void advance(const DrawsConvShape& shape, int rows) {
    for (x += rows; x >= shape.out_width; x -= shape.out_width) ++y;
    for (; y >= shape.out_height; y -= shape.out_height) ++image;
  }
  /// The first tap of its patch, which may lie outside the image.
  __device__ int top(const DrawsConvShape& shape) const { return y * shape.stride - shape.padding; }
  __device__ int left(const DrawsConvShape& shape) const {
    return x * shape.stride - shape.padding;
  }
};

/// Bit t: tap t of that patch is inside the image.
__device__ inline std::uint32_t taps_inside(const DrawsConvShape& shape,
                                            const DrawsConvPlace& place) {
  const auto bits = [&](int start, int side) {
    const int first = max(0, -start);
    const int end = min(shape.kernel, side - start);
    return first < end ? (1U << end) - (1U << first) : 0U;
  };
  const std::uint32_t columns = bits(place.left(shape), shape.width);
  const std::uint32_t lines = bits(place.top(shape), shape.height);
  std::uint32_t taps = 0;
  for (int t = 0; t < shape.kernel; ++t) taps |= (lines >> t & 1U) * columns << t * shape.kernel;
  return taps;
}

/// Where a thread's 16 bytes of each row of a step come from. Chunks of a row of 128 bytes are
/// shuffled by its number, so that neither copies nor loads of matrices meet in a bank.
template <class Tile, class Bias>
class DrawsConvLoader {
 public:
  __device__ DrawsConvLoader(const DrawsConvJob<Bias>& job, const DrawsConvWork<Tile>& work,
                             std::uint32_t shared)
      : shape_(job.shape) {
    const int lead = static_cast<int>(threadIdx.x) / Tile::kChunks;
    const int chunk = static_cast<int>(threadIdx.x) % Tile::kChunks;
    to_ = shared + lead * 128 + ((chunk ^ (lead & 7)) << 4);
    const Bf16* images = job.x + work.draw * job.x_stride;
    DrawsConvPlace place(shape_, work.first_row + lead);
#pragma unroll
    for (int i = 0; i < Tile::kRowLoads; ++i) {
      const int line = place.image * shape_.height + place.top(shape_);
      corners_[i] = images + (line * shape_.width + place.left(shape_)) * shape_.channels;
      const bool there = work.first_row + lead + i * Tile::kRowsPerLoad < shape_.rows;
      taps_[i] = there ? taps_inside(shape_, place) << 4 : 0;
      place.advance(shape_, Tile::kRowsPerLoad);
    }
    const int output = work.first_output + lead;
    outputs_ = job.weight + work.draw * job.weight_stride + std::int64_t{output} * shape_.depth;
    of_outputs_ = 0;
#pragma unroll
    for (int i = 0; i < Tile::kOutputLoads; ++i) {
      if (output + i * Tile::kRowsPerLoad < shape_.outputs) of_outputs_ |= 16U << i;
    }
    channel_ = 8 * chunk;
    find_tap();
  }

  /// Starts the copies of the next step, into that stage of shared memory.
  __device__ void load(int stage) {
    const std::uint32_t rows = to_ + stage * Tile::kStageBytes;
    const std::uint32_t outputs = rows + Tile::kRows * 128;
    const int offset = (tap_y_ * shape_.width + tap_x_) * shape_.channels + channel_;
    const int tap = tap_y_ * shape_.kernel + tap_x_;
    const int place = tap * shape_.channels + channel_;
    const bool inside = place < shape_.depth;
    const int shift = inside ? tap : 31;
#pragma unroll
    for (int i = 0; i < Tile::kRowLoads; ++i) {
      copy_async_again(rows + i * Tile::kRowsPerLoad * 128, corners_[i] + offset,
                       taps_[i] >> shift & 16U);
    }
    const Bf16* from = outputs_ + place;
    const std::uint32_t of_outputs = inside ? of_outputs_ : 0;
#pragma unroll
    for (int i = 0; i < Tile::kOutputLoads; ++i) {
      copy_async(outputs + i * Tile::kRowsPerLoad * 128, from, of_outputs >> i & 16U);
      from += Tile::kRowsPerLoad * shape_.depth;
    }
    if (shape_.channels % Tile::kStep == 0) {
      next_tap();
    } else {
      channel_ += Tile::kStep;
      find_tap();
    }
  }

 private:
  /// The same channels under the next tap, whose pixels are mostly those of this one and still in
  /// the first cache.
  __device__ void next_tap() {
    if (++tap_x_ < shape_.kernel) return;
    tap_x_ = 0;
    if (++tap_y_ < shape_.kernel) return;
    tap_y_ = 0;
    channel_ += Tile::kStep;
  }
  /// The channel lies in the tap it has run into.
  __device__ void find_tap() {
    while (channel_ >= shape_.channels) {
      channel_ -= shape_.channels;
      if (++tap_x_ < shape_.kernel) continue;
      tap_x_ = 0;
      ++tap_y_;
    }
  }

  const DrawsConvShape& shape_;
  int channel_, tap_y_ = 0, tap_x_ = 0;
  std::uint32_t to_;
  const Bf16* corners_[Tile::kRowLoads];  ///< the first tap of a row's patch, or where it would be
  std::uint32_t taps_[Tile::kRowLoads];   ///< taps_inside() from bit 4 on, as 16 is a tap's bytes
  const Bf16* outputs_;                   ///< the weights of the first output
  std::uint32_t of_outputs_;              ///< bit 4 + i: there is an i-th
};

/// Where this lane finds its part of a row that begins at `start` in shared memory, the `row`-th
/// there.
__device__ inline std::uint32_t lane_in_row(std::uint32_t start, int row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return start + row * 128 + ((lane / 16 ^ (row & 7)) << 4);
}

/// The sums of a warp.
template <class Tile>
struct WarpSums {
  static constexpr int kDown = Tile::kWarpRows / 16, kAcross = Tile::kWarpOutputs / 8;
  static constexpr int kSlices = Tile::kStep / 16;
  float values[kDown][kAcross][4] = {};

  /// A slice of a step: 16 places of the depth.
  struct Slice {
    std::uint32_t rows[kDown][4];
    std::uint32_t outputs[kAcross / 2][4];

    __device__ void load(const std::uint32_t (&from_rows)[kDown], std::uint32_t from_outputs,
                         std::uint32_t chunks) {
#pragma unroll
      for (int i = 0; i < kDown; ++i) load_matrices(rows[i], from_rows[i] ^ chunks);
#pragma unroll
      for (int j = 0; j < kAcross / 2; ++j) {
        load_matrices(outputs[j], (from_outputs ^ chunks) + j * 16 * 128);
      }
    }
  };

  /// Adds the product of a step. `rows`: lane_in_row() of the row that this lane loads of every 16;
  /// `outputs`: where the warp's ones begin in shared memory, at a multiple of 128.
  __device__ void add(const std::uint32_t (&rows)[kDown], std::uint32_t outputs) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int output = lane % 8 + lane / 16 * 8;
    outputs += output * 128 + ((lane / 8 % 2 ^ (output & 7)) << 4);
    Slice slices[2];
    slices[0].load(rows, outputs, 0);
#pragma unroll
    for (int k = 0; k < kSlices; ++k) {
      if (k + 1 < kSlices) slices[(k + 1) % 2].load(rows, outputs, (k + 1) << 5);
      const Slice& slice = slices[k % 2];
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j) {
          multiply_add(values[i][j], slice.rows[i], slice.outputs[j / 2][2 * (j % 2)],
                       slice.outputs[j / 2][2 * (j % 2) + 1]);
        }
      }
    }
  }
};

/// Bias, residual and ReLU, and the results to memory by way of the warp's part of shared
/// memory: what a warp reads and writes there is 16 bytes of neighbours per thread.
template <class Tile, class Bias>
__device__ void finish(const DrawsConvJob<Bias>& job, const DrawsConvWork<Tile>& work,
                       const WarpSums<Tile>& sums, Bf16* shared) {
  constexpr int kAcross = Tile::kWarpOutputs / 8;
  const DrawsConvShape& s = job.shape;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first_row = work.first_row + work.warp_row;
  const int first_output = work.first_output + work.warp_output;
  const std::int64_t start = std::int64_t{work.draw} * s.rows;
  Bf16* const own = shared + work.warp * Tile::kWarpRows * Tile::kPitch;
  const auto for_packs = [&](auto&& use) {
#pragma unroll
    for (int i = 0; i < Tile::kWarpRows * kAcross / 32; ++i) {
      const int row = (32 * i + lane) / kAcross;
      const int output = (32 * i + lane) % kAcross * 8;
      if (first_row + row >= s.rows || first_output + output >= s.outputs) continue;
      use(reinterpret_cast<uint4*>(own + row * Tile::kPitch + output),
          (start + first_row + row) * s.outputs + first_output + output);
    }
  };
  if (job.residual != nullptr) {
    for_packs([&](uint4* here, std::int64_t place) {
      copy_async(shared_address(here), job.residual + place, 16);
    });
    end_copy_group();
  }
  float bias[kAcross][2] = {};
  if (job.bias != nullptr) {
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
      const int output = first_output + 8 * j + lane % 4 * 2;
      if (output >= s.outputs) continue;
      bias[j][0] = load(job.bias + work.draw * job.bias_stride + output);
      bias[j][1] = load(job.bias + work.draw * job.bias_stride + output + 1);
    }
  }
  wait_for_copies<0>();
  __syncwarp();
#pragma unroll
  for (int j = 0; j < kAcross; ++j) {
    const int output = 8 * j + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < Tile::kWarpRows / 16; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        Bf16* here = own + (16 * i + 8 * half + lane / 4) * Tile::kPitch + output;
        float a = sums.values[i][j][2 * half] + bias[j][0];
        float b = sums.values[i][j][2 * half + 1] + bias[j][1];
        if (job.residual != nullptr) {
          a += load(here);
          b += load(here + 1);
        }
        if (job.relu) {
          a = relu_of(a);
          b = relu_of(b);
        }
        store_two(here, a, b);
      }
    }
  }
  __syncwarp();
  for_packs([&](const uint4* here, std::int64_t place) {
    *reinterpret_cast<uint4*>(job.y + place) = *here;
  });
}

/// Brings the residual of a tile nearer while the sums are made.
template <class Tile, class Bias>
__device__ void expect_residual(const DrawsConvJob<Bias>& job, const DrawsConvWork<Tile>& work) {
  if (job.residual == nullptr) return;
  constexpr int kLines = Tile::kOutputs / 64;  // of 128 bytes
  const DrawsConvShape& s = job.shape;
  for (int i = static_cast<int>(threadIdx.x); i < Tile::kRows * kLines; i += Tile::kThreads) {
    const int row = work.first_row + i / kLines;
    const int output = work.first_output + i % kLines * 64;
    if (row >= s.rows || output >= s.outputs) continue;
    prefetch(job.residual + (std::int64_t{work.draw} * s.rows + row) * s.outputs + output);
  }
}

template <class Tile, class Bias>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    draws_conv(DrawsConvJob<Bias> job) {
  extern __shared__ __align__(128) unsigned char memory[];
  const DrawsConvWork<Tile> work(job.shape);
  const int steps = (job.shape.depth + Tile::kStep - 1) / Tile::kStep;
  const std::uint32_t shared = shared_address(memory);
  expect_residual(job, work);
  DrawsConvLoader<Tile, Bias> loader(job, work, shared);
#pragma unroll
  for (int stage = 0; stage < Tile::kStages - 1; ++stage) {
    if (stage < steps) loader.load(stage);
    end_copy_group();
  }
  WarpSums<Tile> sums;
  int stage = 0;
  int ahead = Tile::kStages - 1;
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<Tile::kStages - 2>();
    __syncthreads();  // the step is there, and the stage that is loaded next has been used
    if (step + Tile::kStages - 1 < steps) loader.load(ahead);
    end_copy_group();
    const std::uint32_t start = shared + stage * Tile::kStageBytes;
    std::uint32_t rows[WarpSums<Tile>::kDown];
#pragma unroll
    for (int i = 0; i < WarpSums<Tile>::kDown; ++i) {
      rows[i] = lane_in_row(start, work.warp_row + 16 * i + static_cast<int>(threadIdx.x) % 16);
    }
    sums.add(rows, start + (Tile::kRows + work.warp_output) * 128);
    ahead = stage;
    stage = stage + 1 == Tile::kStages ? 0 : stage + 1;
  }
  wait_for_copies<0>();
  __syncthreads();
  finish(job, work, sums, reinterpret_cast<Bf16*>(memory));
}

}  // namespace cubcal::device
