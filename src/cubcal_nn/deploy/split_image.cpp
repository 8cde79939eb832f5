#include "cubcal_nn/deploy/split_image.h"

#include <ATen/ATen.h>

#include "cubcal/core/error.h"

namespace cubcal {

Image split_image(const ImageSplit& split, std::size_t index) {
  if (index >= static_cast<std::size_t>(split.size())) {
    throw DataError("split '" + split.name + "' has no image " + std::to_string(index));
  }
  const at::Tensor levels = split.images.select(0, static_cast<std::int64_t>(index))
                                .permute({1, 2, 0})
                                .cpu()
                                .contiguous();
  Image image;
  image.height = static_cast<std::size_t>(levels.size(0));
  image.width = static_cast<std::size_t>(levels.size(1));
  image.channels = static_cast<std::size_t>(levels.size(2));
  const auto count = static_cast<std::size_t>(levels.numel());
  if (levels.scalar_type() == at::kByte) {
    const auto* first = levels.data_ptr<std::uint8_t>();
    image.pixels.assign(first, first + count);
  } else {
    const auto* first = levels.data_ptr<std::int16_t>();  // the bits of unsigned levels
    for (std::size_t i = 0; i < count; ++i) {
      image.deep_pixels.push_back(static_cast<std::uint16_t>(first[i]));
    }
  }
  return image;
}

}  // namespace cubcal
