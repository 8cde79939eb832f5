#pragma once

#include <string>

#include "cubcal/data/augmentation.h"

namespace cubcal::app {

/// What is on, in words; "none" where nothing is.
std::string augmentation_text(const AugmentationOptions& options);

}  // namespace cubcal::app
