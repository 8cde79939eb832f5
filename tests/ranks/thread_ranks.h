#pragma once

#include <ATen/ATen.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "cubcal_nn/ranks/rank_group.h"

namespace cubcal::test {

/// Where threads of this process meet in the place of processes.
class ThreadMeeting {
 public:
  explicit ThreadMeeting(int size) : size_(size) {}

  /// Waits until all came; `combine` is done once, with what they brought in the order of ranks.
  void meet(int rank, const at::Tensor& tensor,
            const std::function<void(const std::vector<at::Tensor>&)>& combine) {
    std::unique_lock<std::mutex> lock(mutex_);
    brought_.resize(static_cast<std::size_t>(size_));
    brought_[static_cast<std::size_t>(rank)] = tensor;
    if (++here_ < size_) {
      const int round = round_;
      all_here_.wait(lock, [&] { return round_ != round; });
      return;
    }
    combine(brought_);
    here_ = 0;
    ++round_;
    all_here_.notify_all();
  }

 private:
  int size_;
  int here_ = 0;
  int round_ = 0;
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<at::Tensor> brought_;
};

class ThreadRank : public RankGroup {
 public:
  ThreadRank(int rank, int size, ThreadMeeting& meeting)
      : RankGroup(rank, size), meeting_(meeting) {}

  std::string backend() const override { return "threads"; }

  /// Done when it returns: all ranks start the same in the same order.
  std::unique_ptr<RankWork> start_sum(std::vector<at::Tensor> tensors) override {
    for (const at::Tensor& tensor : tensors) {
      meeting_.meet(rank(), tensor, [](const std::vector<at::Tensor>& all) {
        at::Tensor total = all.front().clone();
        for (std::size_t i = 1; i < all.size(); ++i) total += all[i];
        for (const at::Tensor& each : all) each.copy_(total);
      });
    }
    return std::make_unique<DoneWork>();
  }

  void share_first(std::vector<at::Tensor> tensors) override {
    for (const at::Tensor& tensor : tensors) {
      meeting_.meet(rank(), tensor, [](const std::vector<at::Tensor>& all) {
        for (const at::Tensor& each : all) each.copy_(all.front());
      });
    }
  }

 private:
  struct DoneWork : RankWork {
    void wait() override {}
  };

  ThreadMeeting& meeting_;
};

/// Calls `work` on as many threads as there are ranks, each with its group.
inline void run_thread_ranks(int ranks, const std::function<void(RankGroup&)>& work) {
  ThreadMeeting meeting(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([rank, ranks, &meeting, &work] {
      ThreadRank group(rank, ranks, meeting);
      work(group);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace cubcal::test
