#include "cubcal/image/image_failure.h"
#include "cubcal/image/webp_image.h"

// Takes the place of webp_image.cpp where libwebp was not found.

namespace cubcal {

Image decode_webp(std::string_view, const std::string& name, std::size_t) {
  throw format_absent("WebP", name);
}

}  // namespace cubcal
