#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "cubcal_nn/kernels/fused_segment.h"

namespace cubcal {

/// The map of the parameters of one kind in their flat buffers, on the host and on the buffers'
/// device.
struct FusedLayout {
  std::vector<FusedSegment> segments;
  std::vector<FusedTile> tiles;
  std::vector<std::size_t> parameters;  ///< index of each segment's parameter
  std::int64_t size = 0;                ///< of the flat buffers
  std::int64_t draw_size = 0;           ///< elements of one draw
  std::int64_t affine_rows = 0;         ///< rows of the tables of scale and shift
  at::Tensor device_segments;           ///< the bytes of `segments`
  at::Tensor device_tiles;
};

/// Scale and shift that batch norm at its running statistics applies to each row of the parameters
/// before it: s = gamma / sqrt(variance + 1e-5); a row w of the convolution becomes s w, its bias b
/// becomes s b + beta - s mean.
struct NormAffine {
  at::Tensor scale;  ///< float32 [affine_rows]
  at::Tensor shift;  ///< 0 for rows of weights
};

}  // namespace cubcal
