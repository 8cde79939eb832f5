#pragma once

#include <functional>
#include <string>
#include <vector>

namespace cubcal {

struct RankSplit;
struct Recipe;
class WorkObserver;

/// Meets the processes that train together and fits the recipe to this one of them; says how they
/// share the work.
using JoinRanks = std::function<const RankSplit*(Recipe&)>;

/// A training as it is asked for: by the name of a recipe, in a folder that may hold another one.
struct TrainJob {
  std::string recipe;  ///< its file; empty where a run goes on, which has its own
  std::string data;    ///< the set at this path instead of the recipe's; empty: the recipe's
  std::string folder;  ///< empty: runs/<name of the recipe>
  std::vector<std::string> overrides;  ///< see parse_recipe()
  bool resume = false;                 ///< go on with an unfinished run
  bool force = false;                  ///< replace the run in the folder
  JoinRanks join = {};                 ///< unset: this process trains alone
};

struct TrainJobResult {
  std::string folder;
  bool had_work = true;  ///< false: the run was finished already
};

/// Trains as `train_run.h` does, after a look at what is in the folder: a run is never mixed with
/// what an earlier one left. Throws ArgumentError where what is there must not be touched, and
/// Interrupted where the observer stopped it; that sentence ends with `resume_command` and the
/// folder. Of several ranks the first alone touches the folder, and the others have no work where
/// it has none.
TrainJobResult train_as_asked(const TrainJob& job, const std::string& resume_command,
                              WorkObserver& observer);

}  // namespace cubcal
