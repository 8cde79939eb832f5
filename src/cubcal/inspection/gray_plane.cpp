#include "cubcal/inspection/gray_plane.h"

namespace cubcal {

namespace {

template <class Level>
void fill(const std::vector<Level>& pixels, std::size_t channels, std::vector<float>& levels) {
  if (channels == 1) {
    for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<float>(pixels[i]);
    return;
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level* pixel = &pixels[3 * i];
    levels[i] = 0.299F * static_cast<float>(pixel[0]) + 0.587F * static_cast<float>(pixel[1]) +
                0.114F * static_cast<float>(pixel[2]);
  }
}

}  // namespace

GrayPlane gray_plane(const Image& image) {
  GrayPlane plane{image.height, image.width, std::vector<float>(image.height * image.width)};
  if (image.is_deep()) {
    fill(image.deep_pixels, image.channels, plane.levels);
  } else {
    fill(image.pixels, image.channels, plane.levels);
  }
  return plane;
}

}  // namespace cubcal
