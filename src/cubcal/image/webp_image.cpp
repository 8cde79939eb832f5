#include "cubcal/image/webp_image.h"

#include <webp/decode.h>

#include "cubcal/image/image_failure.h"
#include "cubcal/image/on_black.h"
#include "cubcal/image/orientation.h"

namespace cubcal {

namespace {

/// A lossless image of one colour takes some 20 bytes whatever its size, so this only bounds what
/// a tiny file can ask for.
constexpr std::size_t kWebpPixelsPerByte = 20'000;

Image decode_still(std::string_view bytes, std::size_t max_pixels) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  WebPBitstreamFeatures features{};
  if (::WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK) {
    throw DataError("its head is damaged or cut short");
  }
  if (features.has_animation != 0) throw DataError("it is an animation, of which none is decoded");
  const auto height = static_cast<std::size_t>(features.height);
  const auto width = static_cast<std::size_t>(features.width);
  check_image_size(height, width, max_pixels);
  check_promise(height, width, bytes.size(), kWebpPixelsPerByte);
  const bool has_alpha = features.has_alpha != 0;
  Image image{height, width, has_alpha ? std::size_t{4} : std::size_t{3}};
  image.pixels.resize(height * width * image.channels);
  const auto decode = has_alpha ? ::WebPDecodeRGBAInto : ::WebPDecodeRGBInto;
  const std::uint8_t* decoded = decode(data, bytes.size(), image.pixels.data(), image.pixels.size(),
                                       static_cast<int>(width * image.channels));
  if (decoded == nullptr) throw DataError("it is damaged or cut short");
  if (has_alpha) {
    image.pixels = on_black(image.pixels, image.channels);
    --image.channels;
  }
  return upright(std::move(image), webp_orientation(bytes));
}

}  // namespace

Image decode_webp(std::string_view bytes, const std::string& name, std::size_t max_pixels) {
  try {
    return decode_still(bytes, max_pixels);
  } catch (const DataError& error) {
    throw image_failure("WebP", name, error.what());
  }
}

}  // namespace cubcal
