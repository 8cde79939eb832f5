#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal_nn/batches/augmented_batch.h"
#include "cubcal_nn/batches/levels.h"

namespace cubcal {

namespace {

struct Plane {
  std::int64_t height, width;
};

/// Where a coordinate in pixels comes to lie when it is mirrored at the outer edges of the first
/// and the last pixel until it is inside, and is then drawn to their centres.
float mirrored(float x, std::int64_t size) {
  const auto span = static_cast<float>(size);
  float from_edge = std::fabs(x + 0.5F);
  const float turns = std::floor(from_edge / span);
  from_edge -= turns * span;
  const float inside =
      static_cast<std::int64_t>(turns) % 2 == 0 ? from_edge - 0.5F : span - from_edge - 0.5F;
  return std::clamp(inside, 0.F, span - 1);
}

/// Pixel coordinates along a row of the result: start + step * column.
struct Line {
  float start_x, step_x, start_y, step_y;

  bool stays_inside(std::int64_t columns, const Plane& plane) const {
    const auto last = static_cast<float>(columns - 1);
    const float end_x = start_x + step_x * last, end_y = start_y + step_y * last;
    return std::min(start_x, end_x) >= 0 && std::min(start_y, end_y) >= 0 &&
           std::max(start_x, end_x) < static_cast<float>(plane.width - 1) &&
           std::max(start_y, end_y) < static_cast<float>(plane.height - 1);
  }
};

/// The affine map of augmentation_maps, from the result's pixels to the image's.
Line line_of(const float* map, std::int64_t row, const Plane& result, const Plane& image) {
  const double half_width = 0.5 * static_cast<double>(image.width);
  const double half_height = 0.5 * static_cast<double>(image.height);
  const double y = (2 * static_cast<double>(row) + 1) / static_cast<double>(result.height) - 1;
  const double first = 1 / static_cast<double>(result.width) - 1,
               step = 2 / static_cast<double>(result.width);
  const auto pixel = [&](const float* m, double half) {
    return static_cast<float>((m[0] * first + m[1] * y + m[2] + 1) * half - 0.5);
  };
  return {pixel(map, half_width), static_cast<float>(map[0] * step * half_width),
          pixel(map + 3, half_height), static_cast<float>(map[3] * step * half_height)};
}

template <class Level>
void sample_row(const Level* image, const Plane& plane, std::int64_t channels, const Line& line,
                std::int64_t columns, std::int64_t result_plane, float* out) {
  const bool inside = line.stays_inside(columns, plane);
  const std::int64_t image_plane = plane.height * plane.width;
  for (std::int64_t column = 0; column < columns; ++column) {
    float x = line.start_x + line.step_x * static_cast<float>(column);
    float y = line.start_y + line.step_y * static_cast<float>(column);
    if (!inside) {
      x = mirrored(x, plane.width);
      y = mirrored(y, plane.height);
    }
    const auto left = static_cast<std::int64_t>(x), top = static_cast<std::int64_t>(y);
    const std::int64_t right = left + (left + 1 < plane.width),
                       down = top + (top + 1 < plane.height);
    const float fx = x - static_cast<float>(left), fy = y - static_cast<float>(top);
    const Level* upper = image + top * plane.width;
    const Level* lower = image + down * plane.width;
    for (std::int64_t c = 0; c < channels; ++c) {
      const float a = upper[left], b = upper[right], d = lower[left], e = lower[right];
      const float above = a + fx * (b - a), below = d + fx * (e - d);
      out[c * result_plane + column] = above + fy * (below - above);
      upper += image_plane;
      lower += image_plane;
    }
  }
}

/// p -> clamp(factor p + offset) between 0 and white, in place.
void adjust(float* levels, std::int64_t count, float factor, float offset, float white) {
  for (std::int64_t i = 0; i < count; ++i) {
    levels[i] = std::min(std::max(levels[i] * factor + offset, 0.F), white);
  }
}

double mean_gray(const float* levels, std::int64_t channels, std::int64_t plane) {
  constexpr double kLuma[3] = {0.299, 0.587, 0.114};
  double gray = 0;
  for (std::int64_t c = 0; c < channels; ++c) {
    double sum = 0;
    for (std::int64_t i = 0; i < plane; ++i) sum += static_cast<double>(levels[c * plane + i]);
    gray += sum / static_cast<double>(plane) *
            (channels == 3 ? kLuma[c] : 1 / static_cast<double>(channels));
  }
  return gray;
}

template <class Level>
void augment_images(const at::Tensor& images, const at::Tensor& maps, const AugmentationKey& key,
                    const AugmentationOptions& options, const Preprocessing& preprocessing,
                    const at::Tensor& result) {
  const Plane image{images.size(2), images.size(3)};
  const Plane output{result.size(2), result.size(3)};
  const std::int64_t channels = images.size(1);
  const std::int64_t plane = output.height * output.width;
  const auto white = static_cast<float>(preprocessing.largest_level);
  const auto* levels = static_cast<const Level*>(images.data_ptr());
  const auto* map = maps.data_ptr<float>();
  auto* out = result.data_ptr<float>();
  at::parallel_for(0, images.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      float* target = out + i * channels * plane;
      for (std::int64_t row = 0; row < output.height; ++row) {
        sample_row(levels + i * channels * image.height * image.width, image, channels,
                   line_of(map + 6 * i, row, output, image), output.width, plane,
                   target + row * output.width);
      }
      const LevelFactors factors =
          level_factors(key, options, key.indices[static_cast<std::size_t>(i)]);
      if (options.brightness > 0) adjust(target, channels * plane, factors.brightness, 0, white);
      if (options.contrast > 0) {
        const auto gray = static_cast<float>(mean_gray(target, channels, plane));
        adjust(target, channels * plane, factors.contrast, (1 - factors.contrast) * gray, white);
      }
      for (std::int64_t c = 0; c < channels; ++c) {
        const auto channel = static_cast<std::size_t>(c);
        const double deviation = preprocessing.standard_deviation[channel];
        const auto scale = static_cast<float>(1 / (static_cast<double>(white) * deviation));
        const auto shift = static_cast<float>(-preprocessing.mean[channel] / deviation);
        float* values = target + c * plane;
        for (std::int64_t p = 0; p < plane; ++p) values[p] = values[p] * scale + shift;
      }
    }
  });
}

}  // namespace

at::Tensor augmented_batch_cpu(const at::Tensor& images, const AugmentationKey& key,
                               const AugmentationOptions& options,
                               const Preprocessing& preprocessing) {
  check_fits(images, preprocessing);
  check_same_size("the list of image indices", key.indices.size(), "the batch of images",
                  static_cast<std::size_t>(images.size(0)));
  const at::Tensor levels = images.contiguous();
  const at::Tensor result = at::empty(
      {images.size(0), images.size(1), preprocessing.height, preprocessing.width}, at::kFloat);
  const at::Tensor maps = augmentation_maps(key, options, images.size(2), images.size(3),
                                            preprocessing.height, preprocessing.width);
  if (levels.scalar_type() == at::kByte) {
    augment_images<std::uint8_t>(levels, maps, key, options, preprocessing, result);
  } else {
    augment_images<std::uint16_t>(levels, maps, key, options, preprocessing, result);
  }
  return result;
}

}  // namespace cubcal
