#pragma once

#include <cstddef>

#include "cubcal/image/image_file.h"
#include "cubcal_nn/batches/image_set.h"

namespace cubcal {

/// Image `index` of a split, as a report shows it.
Image split_image(const ImageSplit& split, std::size_t index);

}  // namespace cubcal
