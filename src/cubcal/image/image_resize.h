#pragma once

#include <cstddef>

#include "cubcal/image/image_file.h"

/// Sizes, channels and depths of images. Every function keeps the depth but for to_8_bits, and
/// throws ArgumentError for an image that does not hold what it says.
namespace cubcal {

/// Bilinear with antialiasing, as Pillow and torchvision do it: along each axis
///
///     out[j] = sum_i w(i, j) in[i] / sum_i w(i, j),   w(i, j) = max(0, 1 - |i + 1/2 - c_j| / s)
///
/// with centre c_j = (j + 1/2) in_size / out_size and support s = max(1, in_size / out_size), first
/// down the columns, then along the rows. Weights are whole 32768ths and all arithmetic is in
/// integers, so every machine gives the same image. An image that has the size already is returned
/// as it is.
Image resize_image(const Image& image, std::size_t height, std::size_t width);

/// Proportions kept: the shorter side becomes `length`, the other length * long / short, rounded
/// down, as torchvision's Resize(length).
Image resize_shorter_side(const Image& image, std::size_t length);

/// The middle; where it cannot be exact, the upper left of it starts at the even one of the two
/// nearest pixels, as torchvision's CenterCrop. Throws ArgumentError where the image is smaller.
Image centre_crop(const Image& image, std::size_t height, std::size_t width);

/// 1 or 3 channels. RGB becomes gray as 0.299 R + 0.587 G + 0.114 B (Rec. 601), rounded; gray
/// becomes RGB by repeating it.
Image to_channels(Image image, std::size_t channels);

/// v / 257, rounded: 65535 becomes 255. An image of 8 bits stays as it is.
Image to_8_bits(Image image);

}  // namespace cubcal
