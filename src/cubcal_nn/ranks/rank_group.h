#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal_nn/ranks/rank_place.h"

namespace cubcal {

/// A rank ended, or did not answer in time.
class RankLost : public IoError {
 public:
  using IoError::IoError;
};

/// What ranks do together meanwhile.
class RankWork {
 public:
  RankWork() = default;
  virtual ~RankWork() = default;
  RankWork(const RankWork&) = delete;
  RankWork& operator=(const RankWork&) = delete;

  /// Until it is done; once. Throws RankLost.
  virtual void wait() = 0;
};

/// The ranks of a job. What one of them calls all must call, in the same order and with tensors of
/// the same sizes. Every function throws RankLost.
class RankGroup {
 public:
  RankGroup(int rank, int size) : rank_(rank), size_(size) {}
  virtual ~RankGroup() = default;
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  /// "gloo", "gloo and shared memory" or "nccl".
  virtual std::string backend() const = 0;

  /// Adds up the tensors (contiguous) of all ranks, in place; all of them are under way at once.
  /// The order of the additions follows from the sizes and the number of ranks alone, and every
  /// rank has the same bits afterwards.
  virtual void sum(std::vector<at::Tensor> tensors) { start_sum(std::move(tensors))->wait(); }
  /// Begins to, and returns; what sum() is asked for in between does not queue behind it. Until it
  /// was waited for the tensors are not to be touched.
  virtual std::unique_ptr<RankWork> start_sum(std::vector<at::Tensor> tensors) = 0;
  /// Puts what rank 0 has into the tensors (contiguous) of all.
  virtual void share_first(std::vector<at::Tensor> tensors) = 0;

  /// Whether any rank says so.
  bool any(bool mine);
  /// Rank 0's text.
  std::string text_of_first(const std::string& mine);

 private:
  int rank_;
  int size_;
};

/// Meets the other ranks: Gloo where `device` is the CPU, NCCL where it is a GPU. Throws RankLost
/// where they do not all come within the timeout, which is also how long each of the functions
/// waits, and ArgumentError where this build has no such backend.
std::unique_ptr<RankGroup> join_ranks(const RankPlace& place, c10::Device device,
                                      std::chrono::milliseconds timeout);

}  // namespace cubcal
