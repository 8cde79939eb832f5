#include "cubcal_nn/kernels/panel_product.h"

#include <algorithm>

namespace cubcal {

namespace {

/// c[kTileRows][kTileColumns] = or += left times one panel, over `depth` terms. left[r] points at
/// the first term of row r; the panel has kTileColumns values per term.
template <bool kFirst>
void multiply_tile(const float* const (&left)[kTileRows], const float* panel, std::int64_t depth,
                   float* c, std::int64_t c_stride) {
  Float4 sum[kTileRows][2];
  for (int r = 0; r < kTileRows; ++r) {
    for (int j = 0; j < 2; ++j) sum[r][j] = kFirst ? Float4{} : load4(c + r * c_stride + 4 * j);
  }
  std::int64_t k = 0;
  for (; k + 4 <= depth; k += 4) {
    Float4 w[kTileRows];
    for (int r = 0; r < kTileRows; ++r) w[r] = load4(left[r] + k);
#pragma GCC unroll 4
    for (int t = 0; t < 4; ++t) {
      const Float4 near = load4(panel + kTileColumns * (k + t));
      const Float4 far = load4(panel + kTileColumns * (k + t) + 4);
#pragma GCC unroll 8
      for (int r = 0; r < kTileRows; ++r) {
        sum[r][0] += near * w[r][t];
        sum[r][1] += far * w[r][t];
      }
    }
  }
  for (; k < depth; ++k) {
    const Float4 near = load4(panel + kTileColumns * k);
    const Float4 far = load4(panel + kTileColumns * k + 4);
    for (int r = 0; r < kTileRows; ++r) {
      sum[r][0] += near * left[r][k];
      sum[r][1] += far * left[r][k];
    }
  }
  for (int r = 0; r < kTileRows; ++r) {
    for (int j = 0; j < 2; ++j) store4(c + r * c_stride + 4 * j, sum[r][j]);
  }
}

}  // namespace

void multiply_panels(const float* left, std::int64_t left_stride, std::int64_t rows,
                     const float* panels, std::int64_t panel_stride, std::int64_t columns,
                     std::int64_t depth, bool first, float* c) {
  for (std::int64_t row = 0; row < rows; row += kTileRows) {
    const float* lines[kTileRows];
    for (std::int64_t r = 0; r < kTileRows; ++r) {
      lines[r] = left + std::min(row + r, rows - 1) * left_stride;
    }
    for (std::int64_t column = 0; column < columns; column += kTileColumns) {
      const float* panel = panels + column / kTileColumns * panel_stride;
      float* tile = c + row * columns + column;
      if (first) {
        multiply_tile<true>(lines, panel, depth, tile, columns);
      } else {
        multiply_tile<false>(lines, panel, depth, tile, columns);
      }
    }
  }
}

}  // namespace cubcal
