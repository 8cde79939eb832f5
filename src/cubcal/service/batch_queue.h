#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cubcal/error.h"
#include "cubcal/service/served_model.h"

namespace cubcal {

using ServiceClock = std::chrono::steady_clock;

/// How images of several requests become one call of the model.
struct BatchOptions {
  std::size_t most = 64;  ///< images at a time
  /// How long others are waited for where the last call had several images. An image that comes
  /// alone waits for nothing.
  std::chrono::microseconds gather{2000};
  std::size_t queue = 512;  ///< images that may wait; more are refused
};

/// The request's deadline passed before its image's turn came.
class DeadlinePassed : public Error {
 public:
  using Error::Error;
};

/// What one call of the model was.
struct BatchReport {
  std::size_t images = 0;
  double seconds = 0;
  std::size_t expired = 0;  ///< images that were dropped before it, their deadline past
};

/// The one thread that calls a model, and the images that wait for it.
class BatchQueue {
 public:
  using Observer = std::function<void(const BatchReport&)>;

  BatchQueue(const BatchOptions& options, Observer observer);
  /// Answers what waits, then ends the thread.
  ~BatchQueue();
  BatchQueue(const BatchQueue&) = delete;
  BatchQueue& operator=(const BatchQueue&) = delete;

  /// Either all images have a place or none, and nothing is returned. A future throws
  /// DeadlinePassed or what the model threw.
  std::vector<std::future<Answer>> submit(
      const std::shared_ptr<ServedModel>& model,
      const std::vector<std::shared_ptr<const PreparedImage>>& images,
      ServiceClock::time_point deadline);

  std::size_t waiting() const;
  /// How long what waits now will take, by the time of past calls.
  double seconds_of_work() const;

 private:
  struct Job {
    std::shared_ptr<ServedModel> model;
    std::shared_ptr<const PreparedImage> image;
    ServiceClock::time_point deadline;
    std::promise<Answer> answer;
  };

  void work();
  /// Empty where the queue is closed and nothing waits.
  std::vector<Job> next_batch();
  void answer(std::vector<Job> batch);

  const BatchOptions options_;
  const Observer observer_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool closed_ = false;
  std::size_t last_batch_ = 0;
  double seconds_per_image_ = 0;
  std::size_t in_work_ = 0;
  std::thread owner_;
};

}  // namespace cubcal
