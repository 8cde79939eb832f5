#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/metrics/resampling.h"
#include "cubcal/shard/shard.h"
#include "cubcal_nn/experiment/work_observer.h"
#include "cubcal_nn/recipe/experiment_plan.h"

namespace cubcal {

struct ExperimentOptions {
  std::string recipe;  ///< TOML file
  std::string data;    ///< data set instead of the recipe's; empty: the recipe's own
  std::string out;     ///< folder of all runs, records and tables
  std::vector<std::string> only;
  std::vector<std::string> overrides;
  std::size_t seeds = 0;  ///< 0: as the recipe says
  bool smoke = false;
  /// One of several processes that share the runs out in one folder; unset: this one makes all.
  std::optional<Shard> shard = {};
  BootstrapOptions bootstrap;
  std::string command;  ///< what goes on with it, for messages
};

/// What an experiment left behind.
struct ExperimentOutcome {
  ExperimentPlan plan;
  std::vector<ExperimentRun> runs;  ///< those that were asked for
  std::string records;              ///< folder of one JSON file per run
  BootstrapOptions bootstrap;       ///< as the records were made
  std::size_t missing = 0;          ///< runs that are not there: of other shards, or failed
  std::size_t failed = 0;           ///< of the missing ones, those this process could not make
};

/// Names every run that was asked for to the observer, and says which are there already.
void list_experiment(const ExperimentOptions& options, WorkObserver& observer);

/// Makes every run that is not there yet and its record; says how far it is. A run's record is
/// written last, so that an experiment that was stopped anywhere goes on there. A run that fails
/// for itself, because its loss is not finite, its files are damaged or LibTorch refuses, is told
/// to the observer and left out with those that start from it; what would fail every run ends the
/// experiment.
///
/// A run is made by the process that has its folder (see FolderLock). A shard makes the runs of its
/// share, and those they start from where nobody else does; while others do, it goes on with what
/// it can and waits at the end. A process that dies frees its runs, and whoever needs them next
/// goes on from their checkpoints.
ExperimentOutcome run_experiment(const ExperimentOptions& options, WorkObserver& observer);

}  // namespace cubcal
