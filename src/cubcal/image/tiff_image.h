#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// Not where DICOM's mark follows: such files start with the head of a TIFF for other programs.
bool is_tiff(std::string_view bytes);

/// Decodes a TIFF, in strips or tiles and of any compression libtiff knows: 8 and 16 bits gray or
/// RGB as they are, fewer bits, palettes, YCbCr, CMYK and Lab as 8 bits through libtiff's
/// conversion; white-is-zero is turned around, alpha laid on black, the orientation applied. A file
/// of several pages is refused unless `page`, from 0, names one; pages of reduced size do not
/// count. `name` is for messages. Throws DataError.
Image decode_tiff(std::string_view bytes, const std::string& name,
                  const std::optional<std::size_t>& page = {},
                  std::size_t max_pixels = kMaxImagePixels);

}  // namespace cubcal
