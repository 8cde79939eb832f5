#pragma once

#include <string>
#include <string_view>

#include "cubcal/image/image_file.h"

namespace cubcal {

bool is_bmp(std::string_view bytes);

/// Decodes a BMP of 1, 4, 8, 16, 24 or 32 bits per pixel: a palette of grays is gray, everything
/// else RGB; a fourth channel is passed over. Run-length coded files, and those that wrap a PNG or
/// JPEG, are refused. `name` is for messages. Throws DataError.
Image decode_bmp(std::string_view bytes, const std::string& name,
                 std::size_t max_pixels = kMaxImagePixels);

}  // namespace cubcal
