#include "cubcal/data/augmentation.h"

#include <ATen/ATen.h>

#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal/data/stream_purpose.h"

namespace cubcal {

namespace {

constexpr std::int64_t kBilinear = 0;
constexpr std::int64_t kReflection = 2;

}  // namespace

void check_augmentation_options(const AugmentationOptions& options) {
  check_in_closed("the augmentation shift", options.shift, 0, 0.5);
  check_in_closed("the augmentation rotation", options.rotation, 0, 180);
}

at::Tensor augmentation_maps(const AugmentationKey& key, const AugmentationOptions& options,
                             std::int64_t height, std::int64_t width) {
  check_augmentation_options(options);
  const auto count = static_cast<std::int64_t>(key.indices.size());
  const at::Tensor maps = at::empty({count, 2, 3});
  auto* map = maps.data_ptr<float>();
  const double radians = options.rotation * 3.14159265358979323846 / 180;
  // Coordinates run from -1 to 1 along both axes, so a rotation must know the aspect ratio.
  const double aspect = static_cast<double>(height) / static_cast<double>(width);
  for (const std::int64_t index : key.indices) {
    // Every number is drawn whether it is used or not: an option changes nothing but itself.
    SeedStream random = purpose_stream(key.seed, StreamPurpose::kAugmentation, key.epoch,
                                       static_cast<std::uint32_t>(index));
    const bool mirror_x = random.uniform() < 0.5 && options.horizontal_flip;
    const bool mirror_y = random.uniform() < 0.5 && options.vertical_flip;
    const double shift_x = 2 * options.shift * (2 * random.uniform() - 1);
    const double shift_y = 2 * options.shift * (2 * random.uniform() - 1);
    const double angle = radians * (2 * random.uniform() - 1);
    const double sign_x = mirror_x ? -1 : 1, sign_y = mirror_y ? -1 : 1;
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const double entries[6] = {sign_x * cosine,        -sign_x * sine * aspect, shift_x,
                               sign_y * sine / aspect, sign_y * cosine,         shift_y};
    for (const double entry : entries) *map++ = static_cast<float>(entry);
  }
  return maps;
}

at::Tensor augment(const at::Tensor& images, const AugmentationKey& key,
                   const AugmentationOptions& options) {
  if (images.dim() != 4 || !images.is_floating_point()) {
    throw ArgumentError("images to be augmented must be floating point of shape [N, C, H, W]");
  }
  check_same_size("the list of image indices", key.indices.size(), "the batch of images",
                  static_cast<std::size_t>(images.size(0)));
  if (images.size(0) == 0) return images;
  const at::Tensor maps =
      augmentation_maps(key, options, images.size(2), images.size(3)).to(images.options());
  const at::Tensor grid = at::affine_grid_generator(maps, images.sizes(), false);
  return at::grid_sampler(images, grid, kBilinear, kReflection, false);
}

}  // namespace cubcal
