#pragma once

#include <cstddef>
#include <functional>

namespace cubcal {

constexpr std::size_t kMostThreads = 1024;

/// Threads used by parallel loops: the value set, or the number of processors when none was set.
std::size_t thread_count();
/// 0 restores the default. Throws ArgumentError for more than kMostThreads.
void set_thread_count(std::size_t threads);

/// Calls body(first, last) for consecutive blocks of `block` indices that cover [0, count), on
/// several threads. The blocks do not depend on the number of threads: a body that writes only
/// what belongs to its block gives bit-identical results on one thread and on many. The first
/// exception a body throws is rethrown here after all threads have stopped.
void parallel_blocks(std::size_t count, std::size_t block,
                     const std::function<void(std::size_t first, std::size_t last)>& body);

/// While one of these lives, the loops above that its thread starts ask `wanted` on that thread
/// before each of its blocks; where it says true, the loop ends with Interrupted. A scope within
/// another takes its place until it ends.
class InterruptScope {
 public:
  explicit InterruptScope(std::function<bool()> wanted);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  std::function<bool()> wanted_;
  const InterruptScope* outer_;
  friend void parallel_blocks(std::size_t, std::size_t,
                              const std::function<void(std::size_t, std::size_t)>&);
};

}  // namespace cubcal
