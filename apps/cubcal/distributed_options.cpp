#include "distributed_options.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "cubcal/core/parallel.h"
#include "cubcal_nn/kernels/named_device.h"
#include "cubcal_nn/ranks/rank_split.h"
#include "cubcal_nn/recipe/recipe.h"
#include "option_checks.h"

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
            options.over = over.empty() ? "images" : over;
            value_named(kSplitNames, options.over, "the option 'distributed'");
          },
          "Train together with the processes that torchrun, mpirun or srun started beside this "
          "one, each with a share of the images of a batch or of its passes (docs/scale.md)")
      ->expected(0, 1)
      ->type_name("TEXT:{images,passes}");
  command
      .add_option("--rank-timeout", options.timeout,
                  "With --distributed: seconds after which a rank that does not answer is lost")
      ->capture_default_str()
      ->check(within(1.0, 1e6));
}

struct RankMeeting::Parts {
  double timeout;
  bool threads_given;
  RankPlace place;
  std::unique_ptr<RankGroup> group;
  RankSplit split;
};

RankMeeting::RankMeeting(const DistributedOptions& options, bool threads_given)
    : parts_(std::make_unique<Parts>()) {
  parts_->timeout = options.timeout;
  parts_->threads_given = threads_given;
  parts_->split.over = value_named(kSplitNames, options.over, "the option 'distributed'");
  parts_->place = rank_place([](const char* name) { return std::getenv(name); });
}

RankMeeting::~RankMeeting() = default;

bool RankMeeting::is_first() const { return parts_->place.rank == 0; }

const RankSplit* RankMeeting::join(Recipe& recipe) {
  const RankPlace& place = parts_->place;
  RankSplit& split = parts_->split;
  check_split(recipe.run, split.over, place.size);
  if (recipe.run.device == "cuda") {
    recipe.run.device = "cuda:" + std::to_string(place.local_rank);
  }
  if (!parts_->threads_given) {
    set_thread_count(recipe.threads > 0 ? recipe.threads : own_threads(place));
  }
  const auto timeout = static_cast<std::int64_t>(std::ceil(parts_->timeout * 1000));
  parts_->group =
      join_ranks(place, named_device(recipe.run.device), std::chrono::milliseconds(timeout));
  split.group = parts_->group.get();
  if (is_first()) {
    std::cout << "distributed: " << place.size << (place.size == 1 ? " rank" : " ranks") << " over "
              << name_of(kSplitNames, split.over) << " by " << split.group->backend()
              << ", started by " << place.launcher << ", met at " << place.address << ":"
              << place.port << '\n';
  }
  return &split;
}

}  // namespace cubcal::app
