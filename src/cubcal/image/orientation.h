#pragma once

#include <string_view>

#include "cubcal/image/image_file.h"

/// Cameras store what the sensor saw and note how it was held (EXIF tag 0x0112): 1 upright, 2
/// mirrored left to right, 3 turned by 180 degrees, 4 mirrored top to bottom, 5 to 8 the same with
/// rows and columns exchanged. Anything else, and whatever is damaged, counts as 1.
namespace cubcal {

/// Of a block of EXIF data, which starts like a TIFF file.
int exif_orientation(std::string_view exif);

/// Of a JPEG file, from its first block of EXIF data.
int jpeg_orientation(std::string_view bytes);

/// Of a WebP file.
int webp_orientation(std::string_view bytes);

/// ... of a PNG file's eXIf chunk.
int png_orientation(std::string_view bytes);

/// The image as it is to be looked at; `turned` tells of it where something was done.
Image upright(Image image, int orientation);

}  // namespace cubcal
