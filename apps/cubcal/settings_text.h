#pragma once

#include <string>

#include "cubcal/infer/provenance.h"

namespace cubcal::app {

/// The settings of a run, a paragraph for each table of the recipe; what is empty is left out, and
/// so are data and augmentation: training says in words what is done to the images.
std::string settings_text(const Settings& settings, const std::string& indent);

}  // namespace cubcal::app
