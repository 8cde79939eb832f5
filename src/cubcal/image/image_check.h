#pragma once

#include "cubcal/image/image_file.h"

namespace cubcal {

/// Throws ArgumentError where the image is empty, has neither 1 nor 3 channels, or not as many
/// levels as it says, or levels of both depths.
void check_image(const Image& image);

}  // namespace cubcal
