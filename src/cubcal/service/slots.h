#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace cubcal {

/// So many threads at a time may do something; the others wait.
class Slots {
 public:
  explicit Slots(std::size_t count) : free_(count) {}

  /// Has a slot for as long as it lives.
  class Hold {
   public:
    explicit Hold(Slots& slots) : slots_(slots) {
      std::unique_lock<std::mutex> lock(slots_.mutex_);
      slots_.changed_.wait(lock, [&] { return slots_.free_ > 0; });
      --slots_.free_;
    }
    ~Hold() {
      {
        const std::lock_guard<std::mutex> lock(slots_.mutex_);
        ++slots_.free_;
      }
      slots_.changed_.notify_one();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    Slots& slots_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t free_;
};

}  // namespace cubcal
