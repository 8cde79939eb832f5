#pragma once

#include <cstdint>
#include <type_traits>

#include "cubcal_nn/kernels/panel_product.h"

/// The tiles of multiply_panels() in vectors of one width. `Floats` tells the Vector, how floats
/// that lie anywhere are loaded and stored, how many rows (kRows) of how many vectors side by side
/// (kVectors) are summed up in registers, how many terms of the left side are loaded at once
/// (kTerms), and add_product: sum + vector * factor.
namespace cubcal {

/// c[kRows][kVectors vectors] = or += left times these columns of the panels, over `depth` terms.
/// left[r] points at the first term of row r, columns[j] at what vector j takes of the first term:
/// the next is kTileColumns values on.
template <class Floats, int kVectors, bool kFirst>
void multiply_part(const float* const* left, const float* const* columns, std::int64_t depth,
                   float* c, std::int64_t c_stride) {
  using Vector = typename Floats::Vector;
  constexpr int kRows = Floats::kRows;
  constexpr int kTerms = Floats::kTerms;
  constexpr auto kWidth = static_cast<std::int64_t>(sizeof(Vector) / sizeof(float));
  Vector sum[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int j = 0; j < kVectors; ++j) {
      sum[r][j] = kFirst ? Vector{} : Floats::load(c + r * c_stride + kWidth * j);
    }
  }
  const auto add_term = [&](std::int64_t k, const auto& factor) {
    Vector values[kVectors];
    for (int j = 0; j < kVectors; ++j) values[j] = Floats::load(columns[j] + kTileColumns * k);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const float by = factor(r);
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) Floats::add_product(sum[r][j], values[j], by);
    }
  };
  std::int64_t k = 0;
  if constexpr (kTerms > 1) {
    for (; k + kTerms <= depth; k += kTerms) {
      Vector w[kRows];
      for (int r = 0; r < kRows; ++r) w[r] = Floats::load(left[r] + k);
#pragma GCC unroll 4
      for (int t = 0; t < kTerms; ++t) add_term(k + t, [&](int r) { return w[r][t]; });
    }
  }
  for (; k < depth; ++k) add_term(k, [&](int r) { return left[r][k]; });
  for (int r = 0; r < kRows; ++r) {
    for (int j = 0; j < kVectors; ++j) Floats::store(c + r * c_stride + kWidth * j, sum[r][j]);
  }
}

template <class Floats>
void multiply_panels_in(const float* left, std::int64_t left_stride, std::int64_t rows,
                        const float* panels, std::int64_t panel_stride, std::int64_t columns,
                        std::int64_t depth, bool first, float* c) {
  constexpr auto kWidth =
      static_cast<std::int64_t>(sizeof(typename Floats::Vector) / sizeof(float));
  constexpr int kVectors = Floats::kVectors;
  static_assert(kTileRows % Floats::kRows == 0 && kTileColumns % kWidth == 0);
  for (std::int64_t row = 0; row < rows; row += Floats::kRows) {
    const float* lines[Floats::kRows];
    for (std::int64_t r = 0; r < Floats::kRows; ++r) {
      lines[r] = left + (row + r < rows ? row + r : rows - 1) * left_stride;
    }
    const auto multiply = [&](std::int64_t column, auto vectors) {
      constexpr int kCount = decltype(vectors)::value;
      const float* at[kCount];
      for (int j = 0; j < kCount; ++j) {
        const std::int64_t place = column + j * kWidth;
        at[j] = panels + place / kTileColumns * panel_stride + place % kTileColumns;
      }
      float* part = c + row * columns + column;
      if (first) {
        multiply_part<Floats, kCount, true>(lines, at, depth, part, columns);
      } else {
        multiply_part<Floats, kCount, false>(lines, at, depth, part, columns);
      }
    };
    std::int64_t column = 0;
    for (; column + kVectors * kWidth <= columns; column += kVectors * kWidth) {
      multiply(column, std::integral_constant<int, kVectors>{});
    }
    for (; column < columns; column += kWidth) {
      multiply(column, std::integral_constant<int, 1>{});
    }
  }
}

}  // namespace cubcal
