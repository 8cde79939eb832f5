#pragma once

#include <string>
#include <string_view>

#include "cubcal/image/image_file.h"

namespace cubcal {

bool is_jpegxl(std::string_view bytes);

/// Decodes a still JPEG XL, lossy, lossless or a repacked JPEG, to gray or RGB of 8 bits, or of 16
/// where it has more than 8 (its levels stretched to all 16 bits); transparency is laid on black,
/// and its orientation is applied. Animations, floating-point levels and CMYK are refused. `name`
/// is for messages. Throws DataError.
Image decode_jpegxl(std::string_view bytes, const std::string& name,
                    std::size_t max_pixels = kMaxImagePixels);

}  // namespace cubcal
