#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "cubcal/data/preprocessing.h"

namespace cubcal {

/// Random changes that leave an image's class as it is. Which ones do depends on the images (a
/// lesion on skin has no up or down, a radiograph has), so everything is off unless asked for.
struct AugmentationOptions {
  bool horizontal_flip = false;  ///< mirror left and right with probability 1/2
  bool vertical_flip = false;    ///< mirror top and bottom with probability 1/2
  double shift = 0;     ///< largest shift along each axis, as a share of the image, [0, 0.5]
  double rotation = 0;  ///< largest rotation in degrees, [0, 180]
  /// Random resized crop: the share of the image's area that is cut out and enlarged, from
  /// crop_least (1: no crop, the middle) to crop_largest, (0, 1].
  double crop_least = 1;
  double crop_largest = 1;
  double crop_aspect = 4.0 / 3;  ///< largest ratio of a crop's sides to those of the image, >= 1
  double brightness = 0;  ///< levels times a factor in [1 - brightness, 1 + brightness], [0, 1]
  double contrast = 0;    ///< the same for the distance from the image's mean gray
};

/// Throws ArgumentError where a field is outside its domain.
void check_augmentation_options(const AugmentationOptions& options);

/// Whether any of the changes is on.
bool changes_images(const AugmentationOptions& options);

/// Which images are changed, and when. An image's change follows from (seed, epoch, index) alone:
/// not from its place in a batch, and not from a worker.
struct AugmentationKey {
  std::uint64_t seed = 1;
  std::uint64_t epoch = 0;            ///< below 2^24
  std::vector<std::int64_t> indices;  ///< of the images in their split, one per image
};

/// Applies crop, flips, shift and rotation to float images [N, C, H, W] as one affine map with one
/// bilinear interpolation, on the images' device. What lies outside mirrors what is inside. Without
/// a random crop the result [N, C, height, width] is the middle of the image. Brightness and
/// contrast are left alone.
at::Tensor augment(const at::Tensor& images, const AugmentationKey& key,
                   const AugmentationOptions& options, std::int64_t height, std::int64_t width);

/// The affine maps [N, 2, 3] (float32, on the CPU) that `augment` applies: from coordinates of the
/// result to those of the image of `height` x `width`, both running from -1 to 1. Without a random
/// crop the result is the image's middle of the result's size; 0: all of it.
at::Tensor augmentation_maps(const AugmentationKey& key, const AugmentationOptions& options,
                             std::int64_t height, std::int64_t width,
                             std::int64_t result_height = 0, std::int64_t result_width = 0);

/// The factors by which change_levels changes the image of this index: 1 where an option is 0.
struct LevelFactors {
  float brightness, contrast;
};
LevelFactors level_factors(const AugmentationKey& key, const AugmentationOptions& options,
                           std::int64_t index);

/// Brightness and contrast of standardised images (see preprocessing.h), as torchvision's
/// ColorJitter does them: levels p in [0, 1] become f p, then g p + (1 - g) m with m the image's
/// mean gray, each cut off at 0 and 1. Returns the images as they are where both options are 0.
at::Tensor change_levels(const at::Tensor& images, const AugmentationKey& key,
                         const AugmentationOptions& options, const Preprocessing& preprocessing);

}  // namespace cubcal
