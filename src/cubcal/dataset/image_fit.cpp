#include "cubcal/dataset/image_fit.h"

#include <algorithm>

#include "cubcal/core/named_values.h"
#include "cubcal/image/image_resize.h"

namespace cubcal {

namespace {

constexpr NamedValue<ImageFit> kFits[] = {{"stretch", ImageFit::kStretch},
                                          {"crop", ImageFit::kCrop}};

}  // namespace

ImageFit parse_image_fit(const std::string& name) { return value_named(kFits, name); }

const char* image_fit_name(ImageFit fit) { return name_of(kFits, fit); }

Image fit_image(const Image& image, ImageFit fit, std::size_t height, std::size_t width) {
  if (image.height == height && image.width == width) return image;
  if (fit == ImageFit::kStretch) return resize_image(image, height, width);
  const bool height_decides = height * image.width >= width * image.height;
  const std::size_t scaled_height =
      height_decides ? height : std::max(height, width * image.height / image.width);
  const std::size_t scaled_width =
      height_decides ? std::max(width, height * image.width / image.height) : width;
  return centre_crop(resize_image(image, scaled_height, scaled_width), height, width);
}

}  // namespace cubcal
