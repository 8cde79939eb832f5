#include "distributed_options.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cubcal/core/parallel.h"
#include "cubcal_nn/kernels/named_device.h"

namespace cubcal::app {

namespace {

/// Where the scheduler bound this process to some of the processors they are its own; else the
/// ranks of a machine share them.
std::size_t own_threads(const RankPlace& place) {
  const std::size_t usable = thread_count();
  const auto online = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  if (usable < online) return usable;
  return std::max<std::size_t>(1, usable / static_cast<std::size_t>(std::max(1, place.local_size)));
}

}  // namespace

void add_distributed_options(CLI::App& command, DistributedOptions& options) {
  command
      .add_option_function<std::string>(
          "--distributed",
          [&options](const std::string& over) {
            options.over = value_named(kSplitNames, over.empty() ? "images" : over,
                                       "the option 'distributed'");
          },
          "Train together with the processes that torchrun, mpirun or srun started beside this "
          "one, each with a share of the images of a batch or of its passes (docs/scale.md)")
      ->expected(0, 1)
      ->type_name("TEXT:{images,passes}");
  command
      .add_option("--rank-timeout", options.timeout,
                  "With --distributed: seconds after which a rank that does not answer is lost")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 1e6));
}

TrainingRanks join_training(const DistributedOptions& options, Recipe& recipe, bool threads_given) {
  TrainingRanks ranks;
  if (!options.over) return ranks;
  ranks.split.over = *options.over;
  ranks.place = rank_place([](const char* name) { return std::getenv(name); });
  check_split(recipe.run, ranks.split.over, ranks.place.size);
  if (recipe.run.device == "cuda") {
    recipe.run.device = "cuda:" + std::to_string(ranks.place.local_rank);
  }
  if (recipe.convolution == "auto") recipe.convolution = "panels";
  if (!threads_given) {
    set_thread_count(recipe.threads > 0 ? recipe.threads : own_threads(ranks.place));
  }
  const auto timeout = static_cast<std::int64_t>(std::ceil(options.timeout * 1000));
  ranks.group =
      join_ranks(ranks.place, named_device(recipe.run.device), std::chrono::milliseconds(timeout));
  ranks.split.group = ranks.group.get();
  return ranks;
}

std::string ranks_line(const TrainingRanks& ranks) {
  return "distributed: " + std::to_string(ranks.place.size) +
         (ranks.place.size == 1 ? " rank" : " ranks") + " over " +
         name_of(kSplitNames, ranks.split.over) + " by " + ranks.group->backend() +
         ", started by " + ranks.place.launcher + ", met at " + ranks.place.address + ":" +
         std::to_string(ranks.place.port);
}

}  // namespace cubcal::app
