#pragma once

#include <algorithm>
#include <cstdint>

/// What the fused kernels know of the parameters they work on.
namespace cubcal {

/// One parameter in the flat buffers of its kind, as the fused kernels see it. Drawn weights of
/// convolutions are laid out channels last: element (o, i, h, w) of the parameter, which is element
/// o * row + i * area + (h, w) of its piece, stands at o * row + (h, w) * (row / area) + i.
struct FusedSegment {
  std::int64_t offset;  ///< in the flat buffers
  std::int64_t size;
  std::int64_t place;   ///< in a draw, where every parameter starts at a multiple of kDrawAlignment
  std::int64_t affine;  ///< place of its first row in the tables of scale and shift; -1: none
  std::int32_t row;     ///< elements per output channel
  std::int32_t area;    ///< of the kernel; 1: the layout is as it is
};

/// A run of the flat buffers that one block of threads works on.
struct FusedTile {
  std::int64_t first;
  std::int32_t count;
  std::int32_t segment;
};

/// Elements of bfloat16 that fill 128 bytes: the fast convolutions want aligned weights.
inline constexpr std::int64_t kDrawAlignment = 64;

/// The largest tile in elements: 128 threads with 9 blocks of noise each, which are also the
/// weights of four channels under a 3x3 kernel. A row of a convolution longer than that is cut.
inline constexpr std::int64_t kFusedTile = std::int64_t{128} * 9 * 4;

/// Of the tile that starts at element `first` of a segment. Whole rows where the layout changes, so
/// that a tile's place is the same before and after; elsewhere tiles end where a block of noise
/// does.
inline std::int64_t tile_size(const FusedSegment& segment, std::int64_t first) {
  const std::int64_t left = segment.size - first;
  if (segment.area == 1) return std::min(left, kFusedTile - (segment.offset + first) % 4);
  if (segment.row > kFusedTile) return std::min(left, kFusedTile);
  return std::min(left, kFusedTile / segment.row * segment.row);
}

}  // namespace cubcal
