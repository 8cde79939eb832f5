#include "cubcal/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

std::atomic<std::size_t> chosen_threads{0};
thread_local const InterruptScope* innermost_scope = nullptr;

}  // namespace

std::size_t thread_count() {
  const std::size_t chosen = chosen_threads.load();
  if (chosen > 0) return chosen;
  // Asking takes several system calls, too many for a small loop.
  static const std::size_t processors =
      std::max<std::size_t>(1, std::thread::hardware_concurrency());
  return processors;
}

void set_thread_count(std::size_t threads) {
  if (threads > kMostThreads) {
    throw ArgumentError("the number of threads must be at most " + std::to_string(kMostThreads) +
                        ", not " + std::to_string(threads));
  }
  chosen_threads = threads;
}

InterruptScope::InterruptScope(std::function<bool()> wanted)
    : wanted_(std::move(wanted)), outer_(innermost_scope) {
  innermost_scope = this;
}

InterruptScope::~InterruptScope() { innermost_scope = outer_; }

void parallel_blocks(std::size_t count, std::size_t block,
                     const std::function<void(std::size_t first, std::size_t last)>& body) {
  block = std::max<std::size_t>(1, block);
  const std::size_t blocks = count / block + (count % block != 0 ? 1 : 0);
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](const InterruptScope* scope) {
    for (std::size_t i = next++; i < blocks; i = next++) {
      try {
        if (scope && scope->wanted_()) throw Interrupted("the work was interrupted");
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
    for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work, nullptr);
  } catch (const std::system_error&) {
    // The system refused another thread: those there are do the work.
  } catch (const std::bad_alloc&) {
    // There is no memory for another one.
  }
  work(innermost_scope);
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace cubcal
