#include "cubcal/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace cubcal {

namespace {

std::atomic<std::size_t> chosen_threads{0};

}  // namespace

std::size_t thread_count() {
  const std::size_t chosen = chosen_threads.load();
  if (chosen > 0) return chosen;
  // Asking takes several system calls, too many for a small loop.
  static const std::size_t processors =
      std::max<std::size_t>(1, std::thread::hardware_concurrency());
  return processors;
}

void set_thread_count(std::size_t threads) { chosen_threads = threads; }

void parallel_blocks(std::size_t count, std::size_t block,
                     const std::function<void(std::size_t first, std::size_t last)>& body) {
  block = std::max<std::size_t>(1, block);
  const std::size_t blocks = count / block + (count % block != 0 ? 1 : 0);
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < blocks; i = next++) {
      try {
        body(i * block, std::min(count, (i + 1) * block));
      } catch (...) {
        const std::lock_guard<std::mutex> lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next = blocks;
      }
    }
  };
  std::vector<std::thread> helpers;
  const std::size_t threads = std::min(thread_count(), blocks);
  helpers.reserve(threads);
  try {
    for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // The system refused another thread: those there are do the work.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cubcal
