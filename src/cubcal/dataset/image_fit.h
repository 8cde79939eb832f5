#pragma once

#include <cstddef>
#include <string>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// How an image of any size is brought to that of a set.
enum class ImageFit {
  kStretch,  ///< the whole image, without regard to its proportions
  kCrop      ///< proportions kept: as small as covers the size, then its centre
};

/// "stretch" or "crop"; anything else throws ArgumentError.
ImageFit parse_image_fit(const std::string& name);
const char* image_fit_name(ImageFit fit);

/// Bilinear with antialiasing; an image that has the size already stays as it is. Cropping to a
/// square is torchvision's Resize(length) and CenterCrop(length).
Image fit_image(const Image& image, ImageFit fit, std::size_t height, std::size_t width);

}  // namespace cubcal
