#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/image/jpeg_image.h"

// Any bytes are an image or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const cubcal::Image image = cubcal::decode_jpeg(bytes, "input");
    if (image.pixels.size() != image.height * image.width * image.channels) std::abort();
  } catch (const cubcal::DataError&) {
  }
  return 0;
}
