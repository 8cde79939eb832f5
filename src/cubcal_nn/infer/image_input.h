#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal/image/image_file.h"
#include "cubcal_nn/batches/preprocessing.h"

namespace cubcal {

/// An image from a file as McEngine takes it, [1, C, H, W] in levels (see batches/levels.h),
/// brought to the model's depth, channels and stored size exactly as its training images were.
at::Tensor image_input(const Image& image, const Preprocessing& preprocessing);

}  // namespace cubcal
