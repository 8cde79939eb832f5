#pragma once

#include <string>
#include <string_view>

#include "cubcal/image/image_file.h"

namespace cubcal {

bool is_jpeg(std::string_view bytes);

/// Decodes a JPEG: one component is gray, YCbCr and RGB become RGB, CMYK and YCCK become RGB as
/// C K / 255 of the inverted inks that Adobe's marker announces, without a colour profile. The
/// orientation that EXIF data state is applied. `name` is for messages. Throws DataError, for
/// warnings of the decoder too: a file cut short has gray where the rest was. Arithmetic-coded
/// files are refused.
Image decode_jpeg(std::string_view bytes, const std::string& name,
                  std::size_t max_pixels = kMaxImagePixels);

}  // namespace cubcal
