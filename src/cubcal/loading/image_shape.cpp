#include "cubcal/loading/image_shape.h"

#include <algorithm>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/io/image_resize.h"

namespace cubcal {

namespace {

constexpr std::size_t kLeastReducedSide = 8;

/// Interleaved levels to planes; `factor` spreads 8 bits over 16.
template <class In, class Out>
void write_planes(const std::vector<In>& pixels, std::size_t channels, unsigned factor, Out* out) {
  const std::size_t plane = pixels.size() / channels;
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t p = 0; p < plane; ++p) {
      *out++ = static_cast<Out>(pixels[p * channels + c] * factor);
    }
  }
}

}  // namespace

void check_image_shape(const ImageShape& shape) {
  if ((shape.height == 0) != (shape.width == 0)) {
    throw ArgumentError("images need a height and a width, or neither");
  }
  if (shape.channels != 0 && shape.channels != 1 && shape.channels != 3) {
    throw ArgumentError("images can be loaded with 1 or 3 channels, not " +
                        std::to_string(shape.channels));
  }
  if (shape.reduce_to != 0 && shape.reduce_to < kLeastReducedSide) {
    throw ArgumentError("images can be reduced to a shorter side of " +
                        std::to_string(kLeastReducedSide) + " pixels or more, not " +
                        std::to_string(shape.reduce_to));
  }
}

Image shape_image(Image image, const ImageShape& shape) {
  if (image.is_deep() && !shape.keep_16_bits) image = to_8_bits(std::move(image));
  if (shape.channels != 0) image = to_channels(std::move(image), shape.channels);
  if (shape.reduce_to != 0 && std::min(image.height, image.width) > shape.reduce_to) {
    image = resize_shorter_side(image, shape.reduce_to);
  }
  return shape.height == 0 ? image : fit_image(image, shape.fit, shape.height, shape.width);
}

NdArray stack_images(std::vector<Image>& images, std::size_t channels, bool deep) {
  const std::size_t height = images.front().height, width = images.front().width;
  NdArray stack(deep ? DType::kU16 : DType::kU8, {images.size(), channels, height, width});
  const std::size_t each = channels * height * width;
  parallel_blocks(images.size(), 8, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Image image = to_channels(std::move(images[i]), channels);
      images[i] = {};
      if (!deep) {
        write_planes(image.pixels, channels, 1, stack.as<std::uint8_t>() + i * each);
      } else if (image.is_deep()) {
        write_planes(image.deep_pixels, channels, 1, stack.as<std::uint16_t>() + i * each);
      } else {
        write_planes(image.pixels, channels, 257, stack.as<std::uint16_t>() + i * each);
      }
    }
  });
  return stack;
}

}  // namespace cubcal
