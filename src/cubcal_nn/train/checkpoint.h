#pragma once

#include <optional>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal_nn/bayes/parameter_store.h"
#include "cubcal_nn/kernels/compute_backend.h"
#include "cubcal_nn/ranks/rank_split.h"
#include "cubcal_nn/train/flat_sgd.h"
#include "cubcal_nn/train/training_state.h"

namespace cubcal {

/// What the bits of a CPU run depend on besides recipe and data.
struct ComputeFacts {
  int threads = 1;
  ConvolutionBackend convolution = ConvolutionBackend::kIm2col;
  int ranks = 1;
  SplitOver over = SplitOver::kImages;  ///< of no meaning for one rank
};

/// A checkpoint is one safetensors file, so that it is replaced as a whole: the flat buffers and
/// momenta as tensors, everything else as JSON in the file's metadata.
struct CheckpointHead {
  TrainingState state;
  ComputeFacts compute;
  std::string recipe_hash;
  std::string data_hash;
  std::string pretrained_hash = {};  ///< as in RunRecord; empty in files of earlier programs
  std::string tensors_hash = {};  ///< set by write_checkpoint; empty in files of earlier programs
};

/// What a run that goes on says of something that it kept: "the checkpoint 'path' cannot be used".
DataError kept_not_usable(const std::string& what, const Error& error);

/// The head as text, and back; anything else throws DataError.
std::string checkpoint_head_text(const CheckpointHead& head);
CheckpointHead parse_checkpoint_head(const std::string& text);

/// The tensors may be absent (between two stages); then `store` and `optimiser` are null.
void write_checkpoint(const std::string& path, const CheckpointHead& head,
                      const ParameterStore* store, const FlatSgd* optimiser);

/// Nothing where there is no such file; DataError where its head is damaged.
std::optional<CheckpointHead> read_checkpoint_head(const std::string& path);

/// All tensors of a checkpoint: weights, statistics and momenta, flat.
NamedTensors checkpoint_tensors(const ParameterStore& store, const FlatSgd& optimiser);

/// Puts the tensors back in place; throws DataError where they do not fit the network or are
/// damaged.
void restore_checkpoint(const std::string& path, ParameterStore& store, FlatSgd& optimiser);

}  // namespace cubcal
