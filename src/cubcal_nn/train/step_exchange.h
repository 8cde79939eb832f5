#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "cubcal_nn/bayes/gradient_watch.h"
#include "cubcal_nn/bayes/parameter_store.h"
#include "cubcal_nn/bayes/split_norm.h"
#include "cubcal_nn/ranks/rank_split.h"
#include "cubcal_nn/ranks/share.h"
#include "cubcal_nn/train/training_batches.h"

namespace cubcal {

/// What ranks tell each other within a step, so that it is the step of one process with the same
/// batch, passes and noise, to rounding.
///
/// Every rank computes the logits of its share and sees those of all [S, B, K], so that every loss,
/// of whatever form, is computed as by one process, by each rank for itself; it goes back through
/// its own share, and while it does so in the last of its passes the flat gradients are added up,
/// piece by piece, the last layers first. KL, which is of the weights alone, is added afterwards,
/// once. With one process nothing happens here.
class StepExchange {
 public:
  /// `passes` are those of a step, `norm_momentum` that of a pass.
  StepExchange(const RankSplit& split, std::int64_t passes, double norm_momentum);

  /// Of the step's passes, this rank's.
  Share passes() const { return passes_; }
  /// For the batch norms of a forward pass; empty where this rank sees the whole batch.
  AddUp add_up(const Batch& batch) const;

  /// Before the first forward pass.
  void begin(ParameterStore& store) const;
  /// logits [s, b, K] of this rank's share, detached, to those of all [S, B, K].
  at::Tensor whole_logits(const at::Tensor& logits, const Batch& batch) const;
  /// The way back: of a gradient [S, B, K] this rank's share.
  at::Tensor own_part(const at::Tensor& gradient, const Batch& batch) const;
  /// Before the way back: what starts to add up a piece of the gradient that is complete; empty
  /// where nothing is shared. The store must outlive it.
  GradientWatch::Done start(const ParameterStore& store, const Batch& batch);
  /// After the way back: gradients and running statistics are everybody's.
  void finish(ParameterStore& store);

 private:
  RankSplit split_;
  std::int64_t all_passes_;
  double norm_momentum_;
  Share passes_;
  std::vector<std::unique_ptr<RankWork>> under_way_;

  bool over_passes() const { return passes_.count < all_passes_; }
  bool is_shared(const Batch& batch) const { return over_passes() || is_part(batch); }
};

}  // namespace cubcal
