#pragma once

#include <string>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// The bytes of a PNG file, gray or RGB, of 8 bits or, for a deep image, 16. Decoding them gives
/// the same image. Throws ArgumentError where the image is empty, has neither 1 nor 3 channels or
/// not as many pixels as it says, and where this build lacks PNG.
std::string encode_png(const Image& image);

}  // namespace cubcal
