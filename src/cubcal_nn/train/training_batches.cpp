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

Share TrainingBatches::own_share(std::int64_t images) const {
  if (images < options_.ranks) return {0, images};
  return share_of(images, options_.rank, options_.ranks);
}

Batch TrainingBatches::make(std::uint64_t epoch, std::int64_t number) {
  if (ordered_epoch_ != epoch) {
    batches_ = order_.batches(epoch);
    ordered_epoch_ = epoch;
  }
  const std::vector<std::int64_t>& whole = batches_[static_cast<std::size_t>(number)];
  const Share own = own_share(static_cast<std::int64_t>(whole.size()));
  Batch batch;
  batch.first = own.first;
  batch.indices.assign(whole.begin() + own.first, whole.begin() + own.first + own.count);
  const at::Tensor chosen = at::tensor(whole, at::kLong).to(images_.device());
  batch.labels = labels_.index_select(0, chosen);
  const at::Tensor levels = images_.index_select(0, chosen.narrow(0, own.first, own.count));
  if (!options_.augmentation) {
    batch.images = preprocess(levels, preprocessing_);
    return batch;
  }
  const AugmentationKey key{options_.seed, epoch, batch.indices};
  batch.images = augmented_batch(levels, key, *options_.augmentation, preprocessing_);
  return batch;
}

}  // namespace cubcal
