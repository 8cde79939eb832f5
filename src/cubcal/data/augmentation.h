#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace cubcal {

/// Random changes that leave an image's class as it is. The defaults suit lesions on skin, which
/// have no up or down; for X-rays set vertical_flip to false.
struct AugmentationOptions {
  bool horizontal_flip = true;  ///< mirror left and right with probability 1/2
  bool vertical_flip = true;    ///< mirror top and bottom with probability 1/2
  double shift = 0.06;   ///< largest shift along each axis, as a share of the image, [0, 0.5]
  double rotation = 10;  ///< largest rotation in degrees, [0, 180]
};

/// Throws ArgumentError where a field is outside its domain.
void check_augmentation_options(const AugmentationOptions& options);

/// Which images are changed, and when. An image's change follows from (seed, epoch, index) alone:
/// not from its place in a batch, and not from a worker.
struct AugmentationKey {
  std::uint64_t seed = 1;
  std::uint64_t epoch = 0;            ///< below 2^24
  std::vector<std::int64_t> indices;  ///< of the images in their split, one per image
};

/// Applies flips, shift and rotation to float images [N, C, H, W] as one affine map with one
/// bilinear interpolation, on the images' device. What lies outside mirrors what is inside.
at::Tensor augment(const at::Tensor& images, const AugmentationKey& key,
                   const AugmentationOptions& options);

/// The affine maps [N, 2, 3] (float32, on the CPU) that `augment` applies: from coordinates of the
/// result to those of the image, both running from -1 to 1.
at::Tensor augmentation_maps(const AugmentationKey& key, const AugmentationOptions& options,
                             std::int64_t height, std::int64_t width);

}  // namespace cubcal
