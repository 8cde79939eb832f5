#include "report_images.h"

#include <ATen/ATen.h>

#include <memory>

#include "cubcal/core/error.h"
#include "cubcal_nn/batches/image_set.h"
#include "cubcal_nn/experiment/model_data.h"
#include "cubcal_nn/infer/model_folder.h"
#include "work_view.h"

namespace cubcal::app {

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

std::function<Image(std::size_t)> drawn_test_images(const std::string& run,
                                                    const std::string& data) {
  WorkView view;
  const auto set =
      std::make_shared<const ImageSet>(model_data(data, read_model_description(run), view));
  return [set](std::size_t index) { return split_image(set->split("test"), index); };
}

}  // namespace cubcal::app
