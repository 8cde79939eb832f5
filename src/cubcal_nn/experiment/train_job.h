#pragma once

#include <string>
#include <vector>

namespace cubcal {

class WorkObserver;

/// A training as it is asked for: by the name of a recipe, in a folder that may hold another one.
struct TrainJob {
  std::string recipe;  ///< its file; empty where a run goes on, which has its own
  std::string data;    ///< the set at this path instead of the recipe's; empty: the recipe's
  std::string folder;  ///< empty: runs/<name of the recipe>
  std::vector<std::string> overrides;  ///< see parse_recipe()
  bool resume = false;                 ///< go on with an unfinished run
  bool force = false;                  ///< replace the run in the folder
};

struct TrainJobResult {
  std::string folder;
  bool had_work = true;  ///< false: the run was finished already
};

/// Trains as `train_run.h` does, after a look at what is in the folder: a run is never mixed with
/// what an earlier one left. Throws ArgumentError where what is there must not be touched, and
/// Interrupted where the observer stopped it; that sentence ends with `resume_command` and the
/// folder.
TrainJobResult train_as_asked(const TrainJob& job, const std::string& resume_command,
                              WorkObserver& observer);

}  // namespace cubcal
