#pragma once

#include <vector>

#include "cubcal/core/nd_array.h"
#include "cubcal/loading/image_fit.h"

namespace cubcal {

/// What the images of a set are brought to.
struct ImageShape {
  /// First of all, an image whose shorter side is longer is made this small, proportions kept; what
  /// follows enlarges it again. So that no source is told by its resolution. 0: not done.
  std::size_t reduce_to = 0;
  std::size_t height = 0;  ///< 0: the size of the images, which must then be equal
  std::size_t width = 0;
  ImageFit fit = ImageFit::kStretch;
  std::size_t channels = 0;  ///< 1 or 3; 0: 1 where every image is gray, else 3
  /// Keep 16 bits where an image has them; the others are spread over 16 bits then. Off: 8 bits.
  bool keep_16_bits = true;
};

/// Throws ArgumentError.
void check_image_shape(const ImageShape& shape);

/// One image: depth, then channels, then reduction, then size.
Image shape_image(Image image, const ImageShape& shape);

/// uint8 [N, C, H, W] of images of one size, at least one; uint16 where `deep`. Takes the images'
/// memory as it goes.
NdArray stack_images(std::vector<Image>& images, std::size_t channels, bool deep);

}  // namespace cubcal
