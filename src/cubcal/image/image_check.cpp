#include "cubcal/image/image_check.h"

#include "cubcal/core/error.h"

namespace cubcal {

void check_image(const Image& image) {
  if (image.channels != 1 && image.channels != 3) {
    throw ArgumentError("an image must have 1 or 3 channels, not " +
                        std::to_string(image.channels));
  }
  if (image.height == 0 || image.width == 0) {
    throw ArgumentError("an image must have pixels, not " + std::to_string(image.width) + " x " +
                        std::to_string(image.height));
  }
  const std::size_t levels = image.pixels.size() + image.deep_pixels.size();
  const bool one_depth = image.pixels.empty() || image.deep_pixels.empty();
  if (!one_depth || levels != image.height * image.width * image.channels) {
    throw ArgumentError("an image of " + std::to_string(image.width) + " x " +
                        std::to_string(image.height) + " pixels and " +
                        std::to_string(image.channels) + " channels cannot have " +
                        std::to_string(levels) + " levels");
  }
}

std::string too_many_pixels(std::size_t most) {
  constexpr std::size_t kMillion = 1'000'000;
  const bool is_round = most % kMillion == 0;
  return "it has more than " +
         (is_round ? std::to_string(most / kMillion) + " million" : std::to_string(most)) +
         " pixels";
}

std::string too_many_bytes() {
  constexpr std::size_t kMillion = 1'000'000;
  return "its pixels take more than " + std::to_string(kMaxImageBytes / kMillion) +
         " million bytes";
}

}  // namespace cubcal
