#pragma once

#include <string>

#include "cubcal_nn/experiment/work_observer.h"
#include "cubcal_nn/ranks/rank_split.h"
#include "cubcal_nn/recipe/recipe.h"

namespace cubcal {

/// Trains or goes on training in `folder`, and throws Interrupted where the observer asked it to
/// stop; `resume_command` is what that message tells to type. With `split` all ranks call it with
/// the same recipe and set, and only rank 0 touches the folder.
void run_recipe(const Recipe& recipe, const ImageSet& set, const std::string& folder,
                const std::string& indent, const std::string& resume_command,
                WorkObserver& observer, const RankSplit& split = {});

}  // namespace cubcal
