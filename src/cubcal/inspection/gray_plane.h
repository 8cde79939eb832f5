#pragma once

#include <cstddef>
#include <vector>

#include "cubcal/image/image_file.h"

namespace cubcal {

/// The lightness of an image in its own levels, row after row.
struct GrayPlane {
  std::size_t height = 0;
  std::size_t width = 0;
  std::vector<float> levels;

  const float* row(std::size_t y) const { return levels.data() + y * width; }
};

/// Gray as it is; of RGB 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601, the luma of JPEG).
GrayPlane gray_plane(const Image& image);

}  // namespace cubcal
