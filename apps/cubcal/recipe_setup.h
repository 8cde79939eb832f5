#pragma once

#include <iostream>
#include <string>

#include "cubcal_nn/recipe/recipe.h"

namespace cubcal::app {

/// Readies the process for a recipe: threads (of --threads, else of the run that is resumed, else
/// of the recipe), device and convolution path. Says in a line on `out` what was chosen.
void set_up_computing(const Recipe& recipe, bool threads_given, const std::string& run_folder,
                      std::ostream& out = std::cout);

}  // namespace cubcal::app
