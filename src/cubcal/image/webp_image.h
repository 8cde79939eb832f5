#pragma once

#include <string>
#include <string_view>

#include "cubcal/image/image_file.h"

namespace cubcal {

bool is_webp(std::string_view bytes);

/// Decodes a still WebP, lossy or lossless, to RGB; transparency is laid on black, and the
/// orientation that EXIF data state is applied. Animations are refused. `name` is for messages.
/// Throws DataError.
Image decode_webp(std::string_view bytes, const std::string& name,
                  std::size_t max_pixels = kMaxImagePixels);

}  // namespace cubcal
