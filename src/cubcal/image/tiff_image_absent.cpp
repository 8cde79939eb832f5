#include "cubcal/image/image_failure.h"
#include "cubcal/image/tiff_image.h"

// Takes the place of tiff_image.cpp where libtiff was not found.

namespace cubcal {

Image decode_tiff(std::string_view, const std::string& name, const std::optional<std::size_t>&,
                  std::size_t) {
  throw format_absent("TIFF", name);
}

}  // namespace cubcal
