#include "report_images.h"

#include <memory>

#include "cubcal_nn/deploy/split_image.h"
#include "cubcal_nn/experiment/model_data.h"
#include "cubcal_nn/infer/model_folder.h"
#include "work_view.h"

namespace cubcal::app {

std::function<Image(std::size_t)> drawn_test_images(const std::string& run,
                                                    const std::string& data) {
  WorkView view;
  const auto set =
      std::make_shared<const ImageSet>(model_data(data, read_model_description(run), view));
  return [set](std::size_t index) { return split_image(set->split("test"), index); };
}

}  // namespace cubcal::app
