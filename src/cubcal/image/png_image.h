#pragma once

#include <string>
#include <string_view>

#include "cubcal/image/image_file.h"

namespace cubcal {

bool is_png(std::string_view bytes);

/// Decodes a PNG of any colour type and bit depth: palettes become RGB, less than 8 bits are scaled
/// up to 8, 16 bits stay 16, transparency is laid on black, and the orientation that EXIF data
/// state is applied. `name` is for messages. Throws DataError.
Image decode_png(std::string_view bytes, const std::string& name,
                 std::size_t max_pixels = kMaxImagePixels);

}  // namespace cubcal
