#pragma once

#include <array>

namespace cubcal {

/// Mean and standard deviation of ImageNet's images, RGB, of values in [0, 1]: what torchvision's
/// weights were trained with.
inline constexpr std::array<double, 3> kImageNetRgbMean = {0.485, 0.456, 0.406};
inline constexpr std::array<double, 3> kImageNetRgbDeviation = {0.229, 0.224, 0.225};

}  // namespace cubcal
