#include "cubcal/core/error.h"
#include "cubcal/image/jpeg_encoder.h"
#include "cubcal/image/jpeg_image.h"

// Takes the place of jpeg_image.cpp and jpeg_encoder.cpp where libjpeg was not found.

namespace cubcal {

Image decode_jpeg(std::string_view, const std::string& name, std::size_t) {
  throw DataError("'" + name + "' is a JPEG image, and cubcal was built without JPEG support");
}

std::string encode_jpeg(const Image&, int) {
  throw ArgumentError("cubcal was built without JPEG support and cannot write JPEG images");
}

}  // namespace cubcal
