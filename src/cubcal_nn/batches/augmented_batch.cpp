#include "cubcal_nn/batches/augmented_batch.h"

namespace cubcal {

at::Tensor augmented_batch(const at::Tensor& images, const AugmentationKey& key,
                           const AugmentationOptions& options, const Preprocessing& preprocessing) {
  return images.is_cpu() ? augmented_batch_cpu(images, key, options, preprocessing)
                         : augmented_batch_by_operators(images, key, options, preprocessing);
}

at::Tensor augmented_batch_by_operators(const at::Tensor& images, const AugmentationKey& key,
                                        const AugmentationOptions& options,
                                        const Preprocessing& preprocessing) {
  const at::Tensor moved = augment(standardise(images, preprocessing), key, options,
                                   preprocessing.height, preprocessing.width);
  return change_levels(moved, key, options, preprocessing);
}

}  // namespace cubcal
