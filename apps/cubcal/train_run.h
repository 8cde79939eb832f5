#pragma once

#include <cstddef>
#include <string>

#include "cubcal_nn/recipe/recipe.h"

namespace cubcal::app {

/// Readies the process for a recipe: threads (of --threads, else of the run that is resumed, else
/// of the recipe), device and convolution path. Says in a line of stdout what was chosen.
void set_up_computing(const Recipe& recipe, bool threads_given, const std::string& run_folder);

/// Trains or goes on training in `folder`, shows it, and throws Interrupted where Ctrl-C stopped
/// it; `resume_command` is what that message tells to type.
void run_recipe(const Recipe& recipe, const ImageSet& set, const std::string& folder,
                const std::string& indent, const std::string& resume_command);

}  // namespace cubcal::app
