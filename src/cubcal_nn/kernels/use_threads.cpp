#include "cubcal_nn/kernels/use_threads.h"

#include <ATen/Parallel.h>

#include <atomic>
#include <future>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

/// How many of so many threads can be there at once.
int startable(int threads) {
  std::promise<void> all_started;
  const std::shared_future<void> end = all_started.get_future().share();
  std::vector<std::thread> started;
  try {
    for (int i = 0; i < threads; ++i) started.emplace_back([end] { end.wait(); });
  } catch (const std::system_error&) {  // told by the number
  }
  all_started.set_value();
  for (std::thread& thread : started) thread.join();
  return static_cast<int>(started.size());
}

}  // namespace

void use_threads(int threads) {
  static std::atomic<int> were_started{1};
  if (threads > were_started) {
    if (const int can = startable(threads); can < threads) {
      throw Error("the system lets this process start " + std::to_string(can) + " of " +
                  std::to_string(threads) + " threads: use fewer, or raise its limits");
    }
    were_started = threads;
  }
  at::set_num_threads(threads);
}

}  // namespace cubcal
