#pragma once

#include <cstddef>
#include <string>

#include "cubcal/core/error.h"
#include "cubcal/image/image_check.h"
#include "cubcal/image/image_file.h"

namespace cubcal {

/// "the TIFF image 'a.tif' cannot be read: <reason>".
inline DataError image_failure(const char* format, const std::string& name,
                               const std::string& reason) {
  return DataError("the " + std::string(format) + " image '" + name +
                   "' cannot be read: " + reason);
}

/// "'a.tif' is a TIFF image, and cubcal was built without TIFF support".
inline DataError format_absent(const char* format, const std::string& name) {
  return DataError("'" + name + "' is a " + format + " image, and cubcal was built without " +
                   format + " support");
}

/// Throws DataError with the reason where there are no pixels or more than `max_pixels`.
inline void check_image_size(std::size_t height, std::size_t width,
                             std::size_t max_pixels = kMaxImagePixels) {
  if (height == 0 || width == 0) {
    throw DataError("it has " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
  }
  if (width > max_pixels / height) throw DataError(too_many_pixels(max_pixels));
}

/// Throws DataError with the reason where the levels of so many pixels take too many bytes.
inline void check_image_bytes(std::size_t height, std::size_t width, std::size_t channels,
                              std::size_t bytes_per_level) {
  if (height * width * channels * bytes_per_level > kMaxImageBytes) {
    throw DataError(too_many_bytes());
  }
}

/// Throws DataError with the reason where more pixels are promised than `ratio` for each byte.
inline void check_promise(std::size_t height, std::size_t width, std::size_t bytes,
                          std::size_t ratio) {
  if (height * width / ratio > bytes) {
    throw DataError("it promises more pixels than its bytes can hold");
  }
}

}  // namespace cubcal
