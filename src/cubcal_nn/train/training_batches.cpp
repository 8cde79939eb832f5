#include "cubcal_nn/train/training_batches.h"

#include <ATen/ATen.h>

#include "cubcal_nn/batches/augmented_batch.h"

namespace cubcal {

TrainingBatches::TrainingBatches(const ImageSplit& split, const Preprocessing& preprocessing,
                                 const BatchOptions& options, c10::Device device)
    : preprocessing_(preprocessing),
      options_(options),
      order_(split.size(), options.batch, options.seed),
      images_(split.images.to(device)),
      labels_(split.labels.to(device)) {}

Batch TrainingBatches::make(std::uint64_t epoch, std::int64_t number) {
  if (ordered_epoch_ != epoch) {
    batches_ = order_.batches(epoch);
    ordered_epoch_ = epoch;
  }
  Batch batch;
  batch.indices = batches_[static_cast<std::size_t>(number)];
  const at::Tensor chosen = at::tensor(batch.indices, at::kLong).to(images_.device());
  batch.labels = labels_.index_select(0, chosen);
  const at::Tensor levels = images_.index_select(0, chosen);
  if (!options_.augmentation) {
    batch.images = preprocess(levels, preprocessing_);
    return batch;
  }
  const AugmentationKey key{options_.seed, epoch, batch.indices};
  batch.images = augmented_batch(levels, key, *options_.augmentation, preprocessing_);
  return batch;
}

}  // namespace cubcal
