#pragma once

#include <string>

#include "cubcal_nn/experiment/work_observer.h"
#include "cubcal_nn/recipe/recipe.h"

namespace cubcal {

/// Trains or goes on training in `folder`, and throws Interrupted where the observer asked it to
/// stop; `resume_command` is what that message tells to type.
void run_recipe(const Recipe& recipe, const ImageSet& set, const std::string& folder,
                const std::string& indent, const std::string& resume_command,
                WorkObserver& observer);

}  // namespace cubcal
