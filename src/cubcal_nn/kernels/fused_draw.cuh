#pragma once

#include <type_traits>

#include "cubcal_nn/kernels/device_numbers.cuh"
#include "cubcal_nn/kernels/fused_formula.h"
#include "cubcal_nn/kernels/quick_math.cuh"

/// Drawing weights on a GPU. What does not depend on the pass (mean and deviation with batch norm
/// folded in, the places of the results) is worked out once, and a thread has it in its part of
/// shared memory while it goes through its passes; a pass is then noise, one multiplication and
/// addition per weight, and stores of four weights side by side.
namespace cubcal::device {

inline constexpr int kDrawThreads = 128;
/// Blocks of noise per thread.
inline constexpr int kDrawBlocks = static_cast<int>(kFusedTile) / 4 / kDrawThreads;

template <class Out>
struct DrawJob {
  const FusedSegment* segments;
  const FusedTile* tiles;
  const float* mu;
  const float* sigma;          ///< null: no noise
  const std::uint32_t* words;  ///< [passes, 4]; null: no noise
  const float* scale;          ///< null: no batch norms to fold
  const float* shift;
  Out* out;
  std::int64_t size;  ///< of mu and sigma
  std::int64_t draw_size;
  int passes;
};

/// The words of a pass.
struct PassWords {
  std::uint32_t values[4];
};
template <class Out>
__device__ PassWords pass_words(const DrawJob<Out>& job, int pass) {
  if (job.words == nullptr) return {};
  const uint4 words = reinterpret_cast<const uint4*>(job.words)[pass];
  return {{words.x, words.y, words.z, words.w}};
}

/// Elements 4 block ... 4 block + 3 of a flat buffer, 0 beyond its end.
__device__ inline float4 load_four(const float* flat, std::int64_t block, std::int64_t size) {
  if (4 * block + 4 <= size) return reinterpret_cast<const float4*>(flat)[block];
  const auto at = [&](int k) { return 4 * block + k < size ? flat[4 * block + k] : 0.0F; };
  return {at(0), at(1), at(2), at(3)};
}

/// normal_pair() / kQuickNoise by the approximate functions of a GPU, for weights that bfloat16
/// rounds to 1 in 256: each value is off by 2e-6, by more (up to 6e-4) only where both are near 0,
/// once in some million.
__device__ inline void quick_pair(std::uint32_t radius_bits, std::uint32_t angle_bits, float& first,
                                  float& second) {
  const float u = static_cast<float>(radius_bits) * 0x1p-32F + 0x1p-33F;
  const float radius = root(fabsf(quick_log2(u)));
  // The lower 30 bits, read as signed, and the two of quarter turns above them are one angle.
  const auto turn = static_cast<std::int32_t>((angle_bits ^ 0x20000000U) - 0x20000000U);
  const float angle = static_cast<float>(turn) * (6.28318531F * 0x1p-32F);  // [-pi, pi)
  first = radius * quick_cosine(angle);
  second = radius * quick_sine(angle);
}
/// sqrt(2 ln 2): the radius is sqrt(-2 ln u), and log2 u is what a GPU has.
inline constexpr float kQuickNoise = 1.17741002F;

/// normal_four() in that way.
__device__ inline void quick_four(const std::uint32_t* words, std::int64_t block,
                                  float (&values)[4]) {
  const std::array<std::uint32_t, 4> bits =
      philox4x32({static_cast<std::uint32_t>(block), 0, words[2], words[3]}, {words[0], words[1]});
  quick_pair(bits[0], bits[1], values[0], values[1]);
  quick_pair(bits[2], bits[3], values[2], values[3]);
}

/// What batch norm does to a row of weights.
struct RowAffine {
  float scale;
  float shift;
};
template <class Out>
__device__ RowAffine row_affine(const DrawJob<Out>& job, const FusedSegment& segment,
                                std::int32_t row) {
  if (segment.affine < 0 || job.scale == nullptr) return {1, 0};
  return {job.scale[segment.affine + row], job.shift[segment.affine + row]};
}

/// Four neighbouring weights: those of one block of noise.
template <class Out>
struct Gaussians {
  static constexpr bool kQuick = std::is_same_v<Out, Bf16>;
  alignas(16) float mean[4];
  alignas(16) float deviation[4];  ///< for quick noise kQuickNoise times as large

  __device__ void load(const DrawJob<Out>& job, std::int64_t block) {
    const float4 m = load_four(job.mu, block, job.size);
    float4 d{0, 0, 0, 0};
    if (job.sigma != nullptr) d = load_four(job.sigma, block, job.size);
    constexpr float factor = kQuick ? kQuickNoise : 1.0F;
    mean[0] = m.x, mean[1] = m.y, mean[2] = m.z, mean[3] = m.w;
    deviation[0] = factor * d.x, deviation[1] = factor * d.y;
    deviation[2] = factor * d.z, deviation[3] = factor * d.w;
  }
  __device__ void apply(int k, const RowAffine& affine) {
    mean[k] = fmaf(mean[k], affine.scale, affine.shift);
    deviation[k] *= affine.scale;
  }
  /// Weight 0 is element `local` of the segment; those outside it are left as they are.
  __device__ void apply_rows(const DrawJob<Out>& job, const FusedSegment& segment,
                             std::int32_t local) {
    if (segment.affine < 0 || job.scale == nullptr) return;
    std::int32_t row = max(local, 0) / segment.row;
    std::int32_t row_end = (row + 1) * segment.row;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (local + k < 0 || local + k >= segment.size) continue;
      if (local + k == row_end) {
        ++row;
        row_end += segment.row;
      }
      apply(k, row_affine(job, segment, row));
    }
  }

  __device__ void draw(const PassWords& words, std::int64_t block, float* weights) const {
    float noise[4];
    if constexpr (kQuick) {
      quick_four(words.values, block, noise);
    } else {
      normal_four(words.values, block, noise);
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) weights[k] = fmaf(deviation[k], noise[k], mean[k]);
  }
};

/// What the threads of a block draw, each in a column of its own.
template <class Out>
struct DrawTable {
  float4 means[kDrawBlocks][kDrawThreads];
  float4 deviations[kDrawBlocks][kDrawThreads];

  __device__ void put(int j, const Gaussians<Out>& four) {
    means[j][threadIdx.x] = reinterpret_cast<const float4&>(four.mean);
    deviations[j][threadIdx.x] = reinterpret_cast<const float4&>(four.deviation);
  }
  __device__ Gaussians<Out> get(int j) const {
    Gaussians<Out> four;
    reinterpret_cast<float4&>(four.mean) = means[j][threadIdx.x];
    reinterpret_cast<float4&>(four.deviation) = deviations[j][threadIdx.x];
    return four;
  }
};

/// Any part of a segment in any layout: one block of noise, weight by weight.
template <class Out>
__device__ void draw_block(const DrawJob<Out>& job, const FusedSegment& segment,
                           const FusedTile& tile, std::int64_t block) {
  Gaussians<Out> four;
  four.load(job, block);
  four.apply_rows(job, segment, static_cast<std::int32_t>(4 * block - segment.offset));
  std::int32_t places[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const std::int64_t i = 4 * block + k;
    const bool inside = i >= tile.first && i < tile.first + tile.count;
    const auto local = static_cast<std::int32_t>(i - segment.offset);
    places[k] = inside ? channels_last(segment, row_place(segment, local)) : -1;
  }
  for (int pass = blockIdx.y; pass < job.passes; pass += gridDim.y) {
    float weights[4];
    four.draw(pass_words(job, pass), block, weights);
    Out* drawn = job.out + pass * job.draw_size + segment.place;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (places[k] >= 0) store(drawn + places[k], weights[k]);
    }
  }
}

template <class Out>
__device__ void draw_any(const DrawJob<Out>& job, const FusedSegment& segment,
                         const FusedTile& tile) {
  const std::int64_t end = tile.first + tile.count;
  for (std::int64_t block = tile.first / 4 + threadIdx.x; 4 * block < end; block += blockDim.x) {
    draw_block(job, segment, tile, block);
  }
}

/// A tile whose layout stays as it is, of at most kDrawThreads * kDrawBlocks blocks of noise. The
/// places of blocks are multiples of `Width`. `Full`: all blocks are in the tile with all their
/// weights.
template <int Width, bool Full, class Out>
__device__ void draw_straight(const DrawJob<Out>& job, const FusedSegment& segment,
                              const FusedTile& tile, DrawTable<Out>& table) {
  static_assert(Width == 4 || Width == 2);
  const std::int64_t first = tile.first / 4 + threadIdx.x;
  const std::int64_t end = tile.first + tile.count;
  unsigned whole = 0;  // bit j: block j is in the tile with all its weights
  for (int j = 0; j < kDrawBlocks; ++j) {
    const std::int64_t block = first + j * kDrawThreads;
    if (!Full && (4 * block < tile.first || 4 * block + 4 > end)) continue;
    Gaussians<Out> four;
    four.load(job, block);
    four.apply_rows(job, segment, static_cast<std::int32_t>(4 * block - segment.offset));
    table.put(j, four);
    whole |= 1U << j;
  }
  Out* out = job.out + segment.place + (4 * first - segment.offset);
  for (int pass = blockIdx.y; pass < job.passes; pass += gridDim.y) {
    const PassWords words = pass_words(job, pass);
    Out* drawn = out + pass * job.draw_size;
#pragma unroll
    for (int j = 0; j < kDrawBlocks; ++j) {
      if (!Full && (whole >> j & 1U) == 0) continue;
      float w[4];
      table.get(j).draw(words, first + j * kDrawThreads, w);
      Out* to = drawn + 4 * j * kDrawThreads;
      if (Width == 4) {
        store_four(to, w[0], w[1], w[2], w[3]);
      } else {
        store_two(to, w[0], w[1]);
        store_two(to + 2, w[2], w[3]);
      }
    }
  }
  if (Full) return;
  // The blocks the tile shares with its neighbours, or that it does not fill.
  const std::int64_t edge = threadIdx.x == 0 ? tile.first / 4 : (end - 1) / 4;
  const bool is_whole = 4 * edge >= tile.first && 4 * edge + 4 <= end;
  const bool is_second = threadIdx.x == 1 && edge != tile.first / 4;
  if ((threadIdx.x == 0 || is_second) && !is_whole) draw_block(job, segment, tile, edge);
}

/// A tile of 3x3 kernels: a thread draws four channels' weights, which are kDrawBlocks blocks of
/// noise, and stores the four of each tap side by side.
template <class Out>
__device__ void draw_nine(const DrawJob<Out>& job, const FusedSegment& segment,
                          const FusedTile& tile, DrawTable<Out>& table) {
  static_assert(kDrawBlocks == 9);
  const int thread = static_cast<int>(threadIdx.x);
  if (36 * thread >= tile.count) return;
  const std::int64_t first = tile.first / 4 + 9 * thread;
  const RowPlace place =
      row_place(segment, static_cast<std::int32_t>(tile.first - segment.offset) + 36 * thread);
  const RowAffine affine = row_affine(job, segment, place.row);
  for (int j = 0; j < 9; ++j) {
    Gaussians<Out> four;
    four.load(job, first + j);
#pragma unroll
    for (int k = 0; k < 4; ++k) four.apply(k, affine);
    table.put(j, four);
  }
  const int channels = segment.row / 9;
  Out* out = job.out + segment.place + channels_last(segment, place);
  for (int pass = blockIdx.y; pass < job.passes; pass += gridDim.y) {
    const PassWords words = pass_words(job, pass);
    float w[36];
#pragma unroll
    for (int j = 0; j < 9; ++j) table.get(j).draw(words, first + j, w + 4 * j);
    Out* drawn = out + pass * job.draw_size;
#pragma unroll
    for (int tap = 0; tap < 9; ++tap) {
      store_four(drawn + tap * channels, w[tap], w[9 + tap], w[18 + tap], w[27 + tap]);
    }
  }
}

/// Blocks on a multiprocessor: noise of float32 takes more registers.
template <class Out>
inline constexpr int kDrawsAtOnce = std::is_same_v<Out, Bf16> ? 5 : 4;

/// One tile per block in x; the blocks in y share the passes.
template <class Out>
__global__ void __launch_bounds__(kDrawThreads, kDrawsAtOnce<Out>) draw_tiles(DrawJob<Out> job) {
  __shared__ DrawTable<Out> table;
  const FusedTile tile = job.tiles[blockIdx.x];
  const FusedSegment segment = job.segments[tile.segment];
  const auto shift = segment.offset % 4;  // of blocks of noise against places of four
  if (segment.area == 1 && shift == 0 && tile.count == kFusedTile) {
    draw_straight<4, true>(job, segment, tile, table);
  } else if (segment.area == 1 && shift == 0) {
    draw_straight<4, false>(job, segment, tile, table);
  } else if (segment.area == 1 && shift == 2) {
    draw_straight<2, false>(job, segment, tile, table);
  } else if (segment.area == 9 && segment.row % 36 == 0 && shift == 0) {
    draw_nine(job, segment, tile, table);
  } else {
    draw_any(job, segment, tile);
  }
}

}  // namespace cubcal::device
