#pragma once

#include "cubcal/dataset/sample_block.h"
#include "cubcal_nn/batches/image_set.h"

namespace cubcal {

/// Images and labels as tensors that share the block's memory. A split is one of outliers where its
/// name is kOutlierSplit. Throws DataError where samples have no split.
ImageSet to_image_set(const SampleBlock& block);

/// Images as a tensor [N, C, H, W] of levels (see levels.h) that shares the array's memory.
at::Tensor levels_tensor(const NdArray& images);

}  // namespace cubcal
