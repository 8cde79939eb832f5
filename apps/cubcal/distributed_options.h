#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cubcal_nn/ranks/rank_split.h"
#include "cubcal_nn/recipe/recipe.h"

namespace cubcal::app {

struct DistributedOptions {
  std::optional<SplitOver> over;  ///< nothing: one process
  double timeout = 600;           ///< seconds
};

void add_distributed_options(CLI::App& command, DistributedOptions& options);

/// The processes that train with this one; without --distributed there are none.
struct TrainingRanks {
  RankPlace place;
  std::unique_ptr<RankGroup> group;
  RankSplit split;
};

/// Meets the other ranks, and fits the recipe to this one: its GPU, its share of the processors
/// and, unless it names one, the path of convolutions that is the same each time.
TrainingRanks join_training(const DistributedOptions& options, Recipe& recipe, bool threads_given);

/// "2 ranks over images by gloo, ..." for the first line of a run.
std::string ranks_line(const TrainingRanks& ranks);

}  // namespace cubcal::app
