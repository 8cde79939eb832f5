#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal_nn/batches/augmentation.h"
#include "cubcal_nn/batches/preprocessing.h"

namespace cubcal {

/// Images of a training step: levels [N, C, H, W] (see levels.h) to float32 [N, C, height, width]
/// of the preprocessing, standardised and augmented, on the images' device. What becomes of an
/// image follows from its key alone. On the CPU one pass does all of it, straight from the levels;
/// other devices go through standardise, augment and change_levels, which give the same to
/// rounding.
at::Tensor augmented_batch(const at::Tensor& images, const AugmentationKey& key,
                           const AugmentationOptions& options, const Preprocessing& preprocessing);

/// The two paths, for tests and for those who must choose.
at::Tensor augmented_batch_by_operators(const at::Tensor& images, const AugmentationKey& key,
                                        const AugmentationOptions& options,
                                        const Preprocessing& preprocessing);
at::Tensor augmented_batch_cpu(const at::Tensor& images, const AugmentationKey& key,
                               const AugmentationOptions& options,
                               const Preprocessing& preprocessing);

}  // namespace cubcal
