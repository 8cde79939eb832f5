#pragma once

#include <cstdint>
#include <vector>

#include "cubcal_nn/bayes/parameter_store.h"
#include "cubcal_nn/bayes/split_norm.h"
#include "cubcal_nn/kernels/noise.h"

namespace cubcal {

/// What one forward pass needs besides the images. The same network runs in three modes: mean
/// weights (ParameterStore::mean_weights), variational (WeightPasses::weights), and MC dropout.
struct ForwardContext {
  explicit ForwardContext(const TensorTable& weights_of_pass) : weights(&weights_of_pass) {}

  const TensorTable* weights;         ///< one tensor per parameter; must outlive the pass
  bool training = false;              ///< batch statistics in batch norm, and dropout active
  bool mc_dropout = false;            ///< dropout active outside training too
  double norm_momentum = 0.1;         ///< of batch norm's running statistics, in training
  NoiseKey noise;                     ///< the stream of the dropout masks
  std::vector<std::int64_t> samples;  ///< data-set index of each row; empty: first_sample + row
  std::int64_t first_sample = 0;      ///< data-set index of the first row

  /// In training, where other processes have the rest of the batch: batch norm sees all of it.
  AddUp add_up = {};

  /// In a fused training step: as long as the store's buffer_values(). Batch norms leave the
  /// moments of the batch at their buffers' places here, for whoever moves the running ones, and
  /// networks that can keep little for the way back.
  at::Tensor norm_statistics = {};

  // The fused paths (FusedWeights), where weights come channels last and keys lie on the device.
  bool folded = false;             ///< batch norms are part of the convolutions' weights
  std::int64_t draws = 0;          ///< > 1: weights have a leading dimension of so many draws
  std::int64_t images = 0;         ///< with draws: rows of the batch, before each draw has its own
  at::Tensor dropout_words = {};   ///< int32 [dropout layers, 4] on the device; else from `noise`
  at::Tensor device_samples = {};  ///< int64 [rows] on the device, with dropout_words

  /// The data-set indices of `rows` rows; throws ArgumentError where `samples` has another length.
  std::vector<std::int64_t> sample_indices(std::int64_t rows) const;
};

}  // namespace cubcal
