#include "cubcal/image/image_failure.h"
#include "cubcal/image/jpegxl_image.h"

// Takes the place of jpegxl_image.cpp where libjxl was not found.

namespace cubcal {

Image decode_jpegxl(std::string_view, const std::string& name, std::size_t) {
  throw format_absent("JPEG XL", name);
}

}  // namespace cubcal
