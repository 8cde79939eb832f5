#pragma once

#include <vector>

#include "cubcal/inspection/gray_plane.h"

namespace cubcal {

/// Mean power of rows and columns by frequency: entry i of n + 1 stands for i / n of the Nyquist
/// frequency, with n = 64, or 32 where a side is shorter than 128 pixels. Lines are cut into pieces
/// of 2 n pixels, freed of their mean and weighted with a Hann window (Welch's method). Of large
/// images an even choice of lines is taken. Empty where a side is shorter than 64 pixels.
std::vector<double> line_spectrum(const GrayPlane& plane);

}  // namespace cubcal
