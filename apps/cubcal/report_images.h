#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "cubcal/image/image_file.h"

namespace cubcal::app {

/// The test images of the drawn set that the model of a run was trained on; `data` is "phantom" or
/// "phantom:SEED".
std::function<Image(std::size_t)> drawn_test_images(const std::string& run,
                                                    const std::string& data);

}  // namespace cubcal::app
