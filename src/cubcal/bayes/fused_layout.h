#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "cubcal/bayes/parameter_store.h"

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

/// The largest tile in elements. A row of a convolution longer than that is cut.
inline constexpr std::int64_t kFusedTile = 6144;

/// The map of a store's parameters of one kind, on the host and on the store's device. Of the point
/// parameters only weights and biases of convolutions and linear layers are in it: those of batch
/// norms are used as they are.
struct FusedLayout {
  FusedLayout(const ParameterStore& store, ParameterKind kind);

  std::vector<FusedSegment> segments;
  std::vector<FusedTile> tiles;
  std::vector<std::size_t> parameters;  ///< index of each segment's parameter in the store
  std::int64_t size = 0;                ///< of the flat buffers
  std::int64_t draw_size = 0;           ///< elements of one draw
  std::int64_t affine_rows = 0;         ///< rows of the tables of scale and shift
  at::Tensor device_segments;           ///< the bytes of `segments`
  at::Tensor device_tiles;
};

/// Scale and shift that batch norm at its running statistics applies to each row of the parameters
/// before it (ParameterStore::norm_folds): s = gamma / sqrt(variance + 1e-5); a row w of the
/// convolution becomes s w, its bias b becomes s b + beta - s mean.
struct NormAffine {
  at::Tensor scale;  ///< float32 [affine_rows]
  at::Tensor shift;  ///< 0 for rows of weights
};
NormAffine norm_affine(const ParameterStore& store, const FusedLayout& layout);

}  // namespace cubcal
