#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cubcal/metrics/resampling.h"
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
  BootstrapOptions bootstrap;
  std::string command;  ///< what goes on with it, for messages
};

/// What an experiment left behind.
struct ExperimentOutcome {
  ExperimentPlan plan;
  std::vector<ExperimentRun> runs;  ///< those that were asked for
  std::string records;              ///< folder of one JSON file per run
  BootstrapOptions bootstrap;       ///< as the records were made
};

/// Names every run that was asked for to the observer, and says which are there already.
void list_experiment(const ExperimentOptions& options, WorkObserver& observer);

/// Makes every run that is not there yet and its record; says how far it is. A run's record is
/// written last, so that an experiment that was stopped anywhere goes on there.
ExperimentOutcome run_experiment(const ExperimentOptions& options, WorkObserver& observer);

}  // namespace cubcal
