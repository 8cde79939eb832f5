#pragma once

#include "cubcal_nn/kernels/draws_conv_same.cuh"

/// Which kernel and which tile a convolution of draws goes by: measured on an H200 for the layers
/// of ResNet-34 and ResNet-50 under 80 draws (docs/performance.md).
namespace cubcal::device {

using FewResults = DrawsConvTile<64, 64, 32, 32, 2, 5>;
using ManyResults = DrawsConvTile<64, 128, 32, 64, 2, 4>;
using PixelsOfFewOutputs = DrawsConvTile<256, 64, 64, 64, 3, 2>;
using Pixels = DrawsConvTile<128, 64, 64, 32, 3, 3>;

/// Of wider images the pixels around a tile are many.
constexpr int kWidestImage = 64;

/// Calls patches(Tile{}) or, where the device has the shared memory for it, pixels(Tile{}).
template <class Patches, class Pixelwise>
void choose_tile(const DrawsConvShape& shape, int shared_bytes, Patches&& patches,
                 Pixelwise&& pixels) {
  const bool few_rows = shape.rows <= FewResults::kRows;
  const bool few_outputs = shape.outputs <= FewResults::kOutputs;
  if (keeps_places(shape) && shape.width <= kWidestImage && !few_rows) {
    if (few_outputs && SameConvMemory<PixelsOfFewOutputs>(shape).bytes() <= shared_bytes) {
      return pixels(PixelsOfFewOutputs{});
    }
    if (SameConvMemory<Pixels>(shape).bytes() <= shared_bytes) return pixels(Pixels{});
  }
  return few_rows || few_outputs ? patches(FewResults{}) : patches(ManyResults{});
}

template <class Tile>
int tiles_of(const DrawsConvShape& shape) {
  const int down = (shape.rows + Tile::kRows - 1) / Tile::kRows;
  const int across = (shape.outputs + Tile::kOutputs - 1) / Tile::kOutputs;
  return down * across;
}

}  // namespace cubcal::device
