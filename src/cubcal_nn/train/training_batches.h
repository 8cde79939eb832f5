#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "cubcal_nn/batches/augmentation.h"
#include "cubcal_nn/batches/batch_order.h"
#include "cubcal_nn/batches/image_set.h"
#include "cubcal_nn/batches/preprocessing.h"
#include "cubcal_nn/ranks/share.h"

namespace cubcal {

struct Batch {
  at::Tensor images;                  ///< float32 [B, C, H, W], preprocessed and augmented
  at::Tensor labels;                  ///< int64 [B]
  std::vector<std::int64_t> indices;  ///< of the images in their split
  std::int64_t first = 0;             ///< place of the first image among the labels
};

/// Whether there are labels of images that other ranks have.
inline bool is_part(const Batch& batch) { return batch.images.size(0) < batch.labels.size(0); }

struct BatchOptions {
  std::int64_t batch = 64;
  std::optional<AugmentationOptions> augmentation = {};  ///< unset: images as they are
  std::uint64_t seed = 1;
  /// Of each batch the labels are made whole, and the images that are this rank's; of a batch with
  /// fewer images than ranks every rank has all.
  int rank = 0;
  int ranks = 1;
};

/// The batches of a training split. What a batch holds follows from (seed, epoch, number of the
/// batch) alone, so that a run that was stopped goes on exactly where it was.
class TrainingBatches {
 public:
  /// Keeps the images as bytes on the device.
  TrainingBatches(const ImageSplit& split, const Preprocessing& preprocessing,
                  const BatchOptions& options, c10::Device device);

  std::int64_t per_epoch() const { return order_.batches_per_epoch(); }
  /// Batch `number` of epoch `epoch`; epochs are told apart over all stages of a run.
  Batch make(std::uint64_t epoch, std::int64_t number);

 private:
  Preprocessing preprocessing_;
  BatchOptions options_;
  BatchOrder order_;
  at::Tensor images_;
  at::Tensor labels_;
  std::optional<std::uint64_t> ordered_epoch_;
  std::vector<std::vector<std::int64_t>> batches_;

  Share own_share(std::int64_t images) const;
};

}  // namespace cubcal
