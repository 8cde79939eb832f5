#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "cubcal_nn/ranks/rank_group.h"

/// How long two processes, each bound to a processor of its own, take to add up a tensor: through
/// sockets (RankGroup::start_sum) and, where it is small, through shared memory (RankGroup::sum).
///
///   rank_exchange_bench [--port 29544]
///
/// Prints the fastest and the median of many, and the processor time of one process, its threads
/// included.
namespace {

using cubcal::RankGroup;

double processor_seconds() {
  ::timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void measure(RankGroup& group, const char* way, std::int64_t values,
             const std::function<void(const at::Tensor&)>& exchange) {
  const int times = values > 100'000 ? 50 : 2000;
  const at::Tensor tensor = at::zeros({values});
  for (int i = 0; i < times / 10; ++i) exchange(tensor);
  std::vector<double> seconds;
  const double processor = processor_seconds();
  for (int i = 0; i < times; ++i) {
    const double start = wall_seconds();
    exchange(tensor);
    seconds.push_back(wall_seconds() - start);
  }
  const double used = (processor_seconds() - processor) / times;
  std::sort(seconds.begin(), seconds.end());
  if (group.is_first()) {
    std::printf("| %s | %lld | %.1f | %.1f | %.1f |\n", way, static_cast<long long>(values),
                1e6 * seconds.front(), 1e6 * seconds[seconds.size() / 2], 1e6 * used);
    std::fflush(stdout);
  }
}

void run_rank(int rank, int port) {
  ::cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(static_cast<std::size_t>(rank), &own);
  ::sched_setaffinity(0, sizeof own, &own);
  at::set_num_threads(1);
  cubcal::RankPlace place;
  place.rank = rank;
  place.size = 2;
  place.port = port;
  place.hosts_store = rank == 0;
  const auto group =
      cubcal::join_ranks(place, c10::Device(c10::DeviceType::CPU), std::chrono::seconds(60));
  if (group->is_first()) {
    std::printf(
        "%s\n| | values | fastest, us | median, us | processor us |\n"
        "|---|---:|---:|---:|---:|\n",
        group->backend().c_str());
  }
  for (const std::int64_t values : {1, 128, 2048, 16'384, 160'000, 2'097'152}) {
    measure(*group, "start_sum", values,
            [&](const at::Tensor& tensor) { group->start_sum({tensor})->wait(); });
    measure(*group, "sum", values, [&](const at::Tensor& tensor) { group->sum({tensor}); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int port = argc == 3 && std::string(argv[1]) == "--port" ? std::atoi(argv[2]) : 29544;
  const int other = ::fork();
  run_rank(other == 0 ? 1 : 0, port);
  if (other == 0) return 0;
  int status = 0;
  ::waitpid(other, &status, 0);
  return status == 0 ? 0 : 1;
}
