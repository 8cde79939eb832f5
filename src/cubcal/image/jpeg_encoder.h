#pragma once

#include <string>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// The bytes of a baseline JPEG file, gray or YCbCr with halved colour resolution. `quality` runs
/// from 1 to 100. Throws ArgumentError where it does not, where the image is deep (to_8_bits makes
/// it fit), empty, longer than 65,500 pixels on a side, has neither 1 nor 3 channels or not as many
/// pixels as it says, and where this build lacks JPEG.
std::string encode_jpeg(const Image& image, int quality);

}  // namespace cubcal
