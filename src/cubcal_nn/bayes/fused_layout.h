#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "cubcal_nn/bayes/parameter_store.h"
#include "cubcal_nn/kernels/fused_segment.h"

namespace cubcal {

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

}  // namespace cubcal
