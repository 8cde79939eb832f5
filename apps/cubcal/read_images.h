#pragma once

#include <iosfwd>

#include "cubcal_nn/recipe/recipe_data.h"

namespace cubcal::app {

/// load_data with a progress bar that Ctrl-C ends; says on `out` what was recognised and read, and
/// on stderr what was skipped.
ImageSet read_images(DataOptions options, std::ostream& out);

}  // namespace cubcal::app
