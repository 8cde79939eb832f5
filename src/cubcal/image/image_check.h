#pragma once

#include <cstddef>
#include <string>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// Throws ArgumentError where the image is empty, has neither 1 nor 3 channels, or not as many
/// levels as it says, or levels of both depths.
void check_image(const Image& image);

/// "it has more than 100 million pixels".
std::string too_many_pixels(std::size_t most);

/// "its pixels take more than 400 million bytes".
std::string too_many_bytes();

}  // namespace cubcal
