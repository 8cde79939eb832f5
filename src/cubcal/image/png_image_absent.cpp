#include "cubcal/core/error.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/image/png_image.h"

// Takes the place of png_image.cpp and png_encoder.cpp where libpng was not found.

namespace cubcal {

Image decode_png(std::string_view, const std::string& name, std::size_t) {
  throw DataError("'" + name + "' is a PNG image, and cubcal was built without PNG support");
}

std::string encode_png(const Image&) {
  throw ArgumentError("cubcal was built without PNG support and cannot write PNG images");
}

}  // namespace cubcal
