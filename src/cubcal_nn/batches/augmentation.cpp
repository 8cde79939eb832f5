#include "cubcal_nn/batches/augmentation.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal/core/stream_purpose.h"

namespace cubcal {

namespace {

constexpr std::int64_t kBilinear = 0;
constexpr std::int64_t kReflection = 2;

/// The random numbers of one image. Every one is drawn whether it is used or not, and new ones come
/// last: an option changes nothing but itself.
struct Draws {
  double mirror_x, mirror_y, shift_x, shift_y, angle;
  double crop_area, crop_aspect, crop_x, crop_y, brightness, contrast;
};

Draws draw(const AugmentationKey& key, std::int64_t index) {
  SeedStream random = purpose_stream(key.seed, StreamPurpose::kAugmentation, key.epoch,
                                     static_cast<std::uint32_t>(index));
  Draws draws;
  for (double* each : {&draws.mirror_x, &draws.mirror_y, &draws.shift_x, &draws.shift_y,
                       &draws.angle, &draws.crop_area, &draws.crop_aspect, &draws.crop_x,
                       &draws.crop_y, &draws.brightness, &draws.contrast}) {
    *each = random.uniform();
  }
  return draws;
}

/// 0 stands for the whole.
double share_of(std::int64_t part, std::int64_t whole) {
  return part == 0 ? 1 : static_cast<double>(part) / static_cast<double>(whole);
}

double from_minus_one_to_one(double uniform) { return 2 * uniform - 1; }

/// A part of the image in coordinates from -1 to 1.
struct Crop {
  double half_width, half_height, centre_x, centre_y;
};

Crop random_crop(const Draws& draws, const AugmentationOptions& options) {
  const double area =
      options.crop_least + (options.crop_largest - options.crop_least) * draws.crop_area;
  const double ratio =
      std::exp(std::log(options.crop_aspect) * from_minus_one_to_one(draws.crop_aspect));
  const double half_width = std::min(1.0, std::sqrt(area * ratio));
  const double half_height = std::min(1.0, std::sqrt(area / ratio));
  return {half_width, half_height, (1 - half_width) * from_minus_one_to_one(draws.crop_x),
          (1 - half_height) * from_minus_one_to_one(draws.crop_y)};
}

void check_batch(const at::Tensor& images, const AugmentationKey& key) {
  if (images.dim() != 4 || !images.is_floating_point()) {
    throw ArgumentError("images to be augmented must be floating point of shape [N, C, H, W]");
  }
  check_same_size("the list of image indices", key.indices.size(), "the batch of images",
                  static_cast<std::size_t>(images.size(0)));
}

/// A factor for each image, [N, 1, 1, 1] on the images' device.
at::Tensor factors(const at::Tensor& images, const AugmentationKey& key,
                   const AugmentationOptions& options, float LevelFactors::*which) {
  const at::Tensor result = at::empty({images.size(0), 1, 1, 1});
  auto* factor = result.data_ptr<float>();
  for (const std::int64_t index : key.indices)
    *factor++ = level_factors(key, options, index).*which;
  return result.to(images.device());
}

at::Tensor per_channel(const std::vector<double>& values, const at::Tensor& images) {
  return at::tensor(values, at::kFloat).view({1, -1, 1, 1}).to(images.device());
}

/// The mean of 0.299 R + 0.587 G + 0.114 B, or of the one channel, [N, 1, 1, 1].
at::Tensor mean_gray(const at::Tensor& levels) {
  const at::Tensor means = levels.mean({2, 3}, /*keepdim=*/true);
  if (levels.size(1) != 3) return means.mean(1, /*keepdim=*/true);
  return (means * per_channel({0.299, 0.587, 0.114}, levels)).sum(1, /*keepdim=*/true);
}

}  // namespace

void check_augmentation_options(const AugmentationOptions& options) {
  check_in_closed("the augmentation shift", options.shift, 0, 0.5);
  check_in_closed("the augmentation rotation", options.rotation, 0, 180);
  check_in_closed("the largest crop of augmentation", options.crop_largest, 0.01, 1);
  check_in_closed("the least crop of augmentation", options.crop_least, 0.01, options.crop_largest);
  check_in_closed("the crop aspect of augmentation", options.crop_aspect, 1, 10);
  check_in_closed("the augmentation brightness", options.brightness, 0, 1);
  check_in_closed("the augmentation contrast", options.contrast, 0, 1);
}

bool changes_images(const AugmentationOptions& options) {
  return options.horizontal_flip || options.vertical_flip || options.shift > 0 ||
         options.rotation > 0 || options.crop_least < 1 || options.brightness > 0 ||
         options.contrast > 0;
}

at::Tensor augmentation_maps(const AugmentationKey& key, const AugmentationOptions& options,
                             std::int64_t height, std::int64_t width, std::int64_t result_height,
                             std::int64_t result_width) {
  check_augmentation_options(options);
  const auto count = static_cast<std::int64_t>(key.indices.size());
  const at::Tensor maps = at::empty({count, 2, 3});
  auto* map = maps.data_ptr<float>();
  const double middle_height = share_of(result_height, height);
  const double middle_width = share_of(result_width, width);
  const double radians = options.rotation * 3.14159265358979323846 / 180;
  // Coordinates run from -1 to 1 along both axes, so a rotation must know the aspect ratio.
  const double aspect = static_cast<double>(height) / static_cast<double>(width);
  for (const std::int64_t index : key.indices) {
    const Draws draws = draw(key, index);
    const double sign_x = draws.mirror_x < 0.5 && options.horizontal_flip ? -1 : 1;
    const double sign_y = draws.mirror_y < 0.5 && options.vertical_flip ? -1 : 1;
    const double shift_x = 2 * options.shift * from_minus_one_to_one(draws.shift_x);
    const double shift_y = 2 * options.shift * from_minus_one_to_one(draws.shift_y);
    const double angle = radians * from_minus_one_to_one(draws.angle);
    const double cosine = std::cos(angle), sine = std::sin(angle);
    const Crop crop = options.crop_least < 1 ? random_crop(draws, options)
                                             : Crop{middle_width, middle_height, 0, 0};
    const double entries[6] = {sign_x * cosine * crop.half_width,
                               -sign_x * sine * aspect * crop.half_height,
                               crop.centre_x + shift_x,
                               sign_y * sine / aspect * crop.half_width,
                               sign_y * cosine * crop.half_height,
                               crop.centre_y + shift_y};
    for (const double entry : entries) *map++ = static_cast<float>(entry);
  }
  return maps;
}

at::Tensor augment(const at::Tensor& images, const AugmentationKey& key,
                   const AugmentationOptions& options, std::int64_t height, std::int64_t width) {
  check_batch(images, key);
  if (images.size(0) == 0) return at::empty({0, images.size(1), height, width}, images.options());
  const at::Tensor maps =
      augmentation_maps(key, options, images.size(2), images.size(3), height, width)
          .to(images.options());
  const at::Tensor grid =
      at::affine_grid_generator(maps, {images.size(0), images.size(1), height, width}, false);
  return at::grid_sampler(images, grid, kBilinear, kReflection, false);
}

LevelFactors level_factors(const AugmentationKey& key, const AugmentationOptions& options,
                           std::int64_t index) {
  const Draws draws = draw(key, index);
  const auto factor = [](double range, double uniform) {
    return static_cast<float>(1 + range * from_minus_one_to_one(uniform));
  };
  return {factor(options.brightness, draws.brightness), factor(options.contrast, draws.contrast)};
}

at::Tensor change_levels(const at::Tensor& images, const AugmentationKey& key,
                         const AugmentationOptions& options, const Preprocessing& preprocessing) {
  check_batch(images, key);
  check_augmentation_options(options);
  if (options.brightness == 0 && options.contrast == 0) return images;
  const at::Tensor mean = per_channel(preprocessing.mean, images);
  const at::Tensor deviation = per_channel(preprocessing.standard_deviation, images);
  at::Tensor levels = images.mul(deviation).add_(mean);
  if (options.brightness > 0) {
    levels.mul_(factors(images, key, options, &LevelFactors::brightness)).clamp_(0, 1);
  }
  if (options.contrast > 0) {
    const at::Tensor factor = factors(images, key, options, &LevelFactors::contrast);
    const at::Tensor rest = mean_gray(levels) * (1 - factor);
    levels.mul_(factor).add_(rest).clamp_(0, 1);
  }
  return levels.sub_(mean).div_(deviation);
}

}  // namespace cubcal
