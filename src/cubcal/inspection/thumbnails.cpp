#include "cubcal/inspection/thumbnails.h"

#include <algorithm>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/image/image_resize.h"
#include "cubcal/image/jpeg_encoder.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/io/base64.h"

namespace cubcal {

namespace {

constexpr int kQuality = 80;

Image small_copy(const Image& image) {
  const std::size_t longer = std::max(image.height, image.width);
  if (longer <= kThumbnailSide) return to_8_bits(image);
  const auto scaled = [&](std::size_t side) {
    return std::max<std::size_t>(1, (side * kThumbnailSide + longer / 2) / longer);
  };
  return to_8_bits(resize_image(image, scaled(image.height), scaled(image.width)));
}

}  // namespace

std::string thumbnail_uri(const Image& image) {
  const Image copy = small_copy(image);
  try {
    return "data:image/jpeg;base64," + base64(encode_jpeg(copy, kQuality));
  } catch (const ArgumentError&) {  // this build lacks JPEG
    return "data:image/png;base64," + base64(encode_png(copy));
  }
}

std::vector<std::string> thumbnail_uris(const std::vector<std::size_t>& images,
                                        const std::function<Image(std::size_t)>& read) {
  std::vector<std::string> uris(images.size());
  parallel_blocks(images.size(), 8, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      try {
        uris[i] = thumbnail_uri(read(images[i]));
      } catch (const Error&) {
        uris[i].clear();  // the page says elsewhere that it cannot be read
      }
    }
  });
  return uris;
}

}  // namespace cubcal
