#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/image/png_image.h"

// Any bytes are an image or a DataError, and an image is the same after writing and reading it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  cubcal::Image image;
  try {
    image = cubcal::decode_png(bytes, "input");
  } catch (const cubcal::DataError&) {
    return 0;
  }
  const std::size_t levels = image.height * image.width * image.channels;
  if (image.pixels.size() + image.deep_pixels.size() != levels) std::abort();
  if (levels > 10'000) return 0;
  const cubcal::Image back = cubcal::decode_png(cubcal::encode_png(image), "written");
  if (back.pixels != image.pixels || back.deep_pixels != image.deep_pixels) std::abort();
  return 0;
}
