#pragma once

#include <string>
#include <string_view>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// A JP2 file or a bare codestream.
bool is_jpeg2000(std::string_view bytes);
bool is_jpeg2000_codestream(std::string_view bytes);

/// Decodes a JPEG 2000 image: one channel is gray, three RGB, a second or fourth one an alpha that
/// is laid on black. Up to 8 bits become 8, more 16, stretched: v L / (2^bits - 1), rounded; signed
/// values start at their least one. `name` is for messages. Throws DataError.
Image decode_jpeg2000(std::string_view bytes, const std::string& name,
                      std::size_t max_pixels = kMaxImagePixels);

}  // namespace cubcal
