#include "cubcal/infer/image_input.h"

#include "cubcal/core/error.h"
#include "cubcal/data/sample_set.h"
#include "cubcal/loading/image_shape.h"

namespace cubcal {

at::Tensor image_input(const Image& image, const Preprocessing& preprocessing) {
  if (preprocessing.channels() != 1 && preprocessing.channels() != 3) {
    throw DataError("images from files have 1 or 3 channels, and the model takes " +
                    std::to_string(preprocessing.channels()));
  }
  const bool deep = preprocessing.largest_level > 255;
  ImageShape shape;
  shape.reduce_to = static_cast<std::size_t>(preprocessing.reduce_to);
  shape.height = static_cast<std::size_t>(preprocessing.image_height());
  shape.width = static_cast<std::size_t>(preprocessing.image_width());
  shape.fit = preprocessing.fit;
  shape.channels = static_cast<std::size_t>(preprocessing.channels());
  shape.keep_16_bits = deep;
  std::vector<Image> images = {shape_image(image, shape)};
  return levels_tensor(stack_images(images, shape.channels, deep));
}

}  // namespace cubcal
