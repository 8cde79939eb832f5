#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// A JPEG 2000 image as its stream has it, after the transform of colours is undone.
struct Jpeg2000Planes {
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 0;  ///< alpha included
  unsigned bits = 0;         ///< of the deepest channel
  bool is_signed = false;
  bool is_ycc = false;               ///< colours are YCbCr, as the file's box says
  std::vector<std::int32_t> values;  ///< pixel by pixel
};

/// Decodes a JP2 file or a bare codestream of up to 16 bits and 4 channels with OpenJPEG; channels
/// of lower resolution are repeated. Throws DataError with the reason, also where this build lacks
/// OpenJPEG.
Jpeg2000Planes decode_jpeg2000_planes(std::string_view bytes,
                                      std::size_t max_pixels = kMaxImagePixels);

/// Whether this build has OpenJPEG.
bool has_jpeg2000();

}  // namespace cubcal
