#pragma once

#include <string>
#include <string_view>

#include "cubcal/image/image_file.h"

namespace cubcal {

bool is_gif(std::string_view bytes);

/// Decodes the first frame of a GIF, on a black canvas where it is smaller than the image or
/// transparent: gray where the colours it uses are, else RGB. Further frames are passed over.
/// `name` is for messages. Throws DataError.
Image decode_gif(std::string_view bytes, const std::string& name,
                 std::size_t max_pixels = kMaxImagePixels);

}  // namespace cubcal
