#pragma once

#include <cstdint>

#include "cubcal_nn/kernels/patch_product.h"

namespace cubcal {

/// A convolution of 3 x 3 at stride 1.
struct WinogradMap {
  std::int64_t images, channels;
  std::int64_t height, width;          ///< of the source, with its border: even, at least out + 2
  std::int64_t out_height, out_width;  ///< of the result
};

/// out[b, r, y, x] = sum over c, i, j of weight[r, c, i, j] source[b, c, y + i, x + j], finished,
/// by Winograd's minimal filtering F(2 x 2, 3 x 3) (Lavin and Gray 2016): 16 products per square of
/// four results instead of 36. Rounding errors are about twice those of the direct sum. The weights
/// are transformed at every call, which pays from some tens of squares on. Results do not depend on
/// the number of images or threads.
void winograd_conv(const WinogradMap& map, const float* source, const float* weight,
                   std::int64_t rows, const ProductFinish& finish, float* out);

}  // namespace cubcal
