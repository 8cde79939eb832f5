#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal/data/preprocessing.h"
#include "cubcal/io/image_file.h"

namespace cubcal {

/// An image from a file as a network takes it: uint8 [1, C, H, W].
///
/// Gray becomes RGB by repeating it; RGB becomes gray as 0.299 R + 0.587 G + 0.114 B (Rec. 601).
/// Then the whole image is resized to the model's height and width, bilinear with antialiasing,
/// without regard to its proportions, and rounded to bytes. An image that has the size already
/// stays as it is.
at::Tensor image_input(const Image& image, const Preprocessing& preprocessing);

}  // namespace cubcal
