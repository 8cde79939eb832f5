#pragma once

#include <algorithm>
#include <cmath>

#include "cubcal/core/seed_stream.h"
#include "cubcal/image/image_resize.h"

namespace cubcal::test {

/// A gray picture whose spectrum falls as that of a photograph: discs of all sizes that cover one
/// another, drawn finer than wanted and reduced.
inline Image photograph(std::uint64_t seed, std::size_t height = 192, std::size_t width = 192) {
  constexpr std::size_t kFiner = 3;
  const std::size_t rows = kFiner * height;
  const std::size_t columns = kFiner * width;
  Image image{rows, columns, 1, std::vector<std::uint8_t>(rows * columns, 128), {}};
  SeedStream random(seed, 0);
  for (int disc = 0; disc < 1500; ++disc) {
    const double radius =
        std::min(4.0 / std::sqrt(random.uniform() + 1e-4), 0.4 * static_cast<double>(rows));
    const double centre_y = random.uniform() * static_cast<double>(rows);
    const double centre_x = random.uniform() * static_cast<double>(columns);
    const auto level = static_cast<std::uint8_t>(20 + random.below(216));
    const auto first = static_cast<std::size_t>(std::max(0.0, centre_y - radius));
    const auto last = std::min(rows, static_cast<std::size_t>(centre_y + radius) + 1);
    for (std::size_t y = first; y < last; ++y) {
      const double dy = static_cast<double>(y) - centre_y;
      const double half = std::sqrt(std::max(0.0, radius * radius - dy * dy));
      const auto left = static_cast<std::size_t>(std::max(0.0, centre_x - half));
      const auto right = std::min(columns, static_cast<std::size_t>(centre_x + half));
      for (std::size_t x = left; x < right; ++x) image.pixels[y * columns + x] = level;
    }
  }
  return resize_image(image, height, width);
}

inline Image flat(std::uint8_t level, std::size_t height = 80, std::size_t width = 80) {
  return {height, width, 1, std::vector<std::uint8_t>(height * width, level), {}};
}

/// gain * level + offset, cut to what fits.
inline Image relit(Image image, double gain, double offset) {
  for (std::uint8_t& level : image.pixels) {
    level = static_cast<std::uint8_t>(std::clamp(gain * level + offset, 0.0, 255.0));
  }
  return image;
}

}  // namespace cubcal::test
