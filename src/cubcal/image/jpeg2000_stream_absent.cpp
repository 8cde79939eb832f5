#include "cubcal/core/error.h"
#include "cubcal/image/jpeg2000_stream.h"

// Takes the place of jpeg2000_stream.cpp where OpenJPEG was not found.

namespace cubcal {

Jpeg2000Planes decode_jpeg2000_planes(std::string_view, std::size_t) {
  throw DataError("cubcal was built without JPEG 2000 support");
}

bool has_jpeg2000() { return false; }

}  // namespace cubcal
