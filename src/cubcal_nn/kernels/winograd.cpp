#include "cubcal_nn/kernels/winograd.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "cubcal_nn/kernels/panel_product.h"

namespace cubcal {

namespace {

constexpr int kPlaces = 16;  // of a transformed square of 4 x 4

/// The transforms along one axis; Value is float or a vector.
template <class Value>
void transform_weight(Value g0, Value g1, Value g2, Value (&u)[4]) {
  const Value ends = (g0 + g2) * 0.5F;
  const Value middle = g1 * 0.5F;
  u[0] = g0;
  u[1] = ends + middle;
  u[2] = ends - middle;
  u[3] = g2;
}

template <class Value>
void transform_source(Value d0, Value d1, Value d2, Value d3, Value (&v)[4]) {
  v[0] = d0 - d2;
  v[1] = d1 + d2;
  v[2] = d2 - d1;
  v[3] = d1 - d3;
}

/// The sixteen places of one kernel, or of several side by side in vectors: tap(i) is value i of
/// nine.
template <class Value, class Tap, class Store>
void transform_kernel(const Tap& tap, const Store& store) {
  Value half[3][4];  // of kernel column j, at the four places along y
  for (int j = 0; j < 3; ++j) transform_weight(tap(j), tap(3 + j), tap(6 + j), half[j]);
  for (int i = 0; i < 4; ++i) {
    Value whole[4];
    transform_weight(half[0][i], half[1][i], half[2][i], whole);
    for (int j = 0; j < 4; ++j) store(4 * i + j, whole[j]);
  }
}

/// u[place][row][channel] of the rows [first, last).
void transform_weights(const float* weight, std::int64_t first, std::int64_t last,
                       std::int64_t rows, std::int64_t channels, float* u) {
  const std::int64_t of_place = rows * channels;
  for (std::int64_t kernel = first * channels; kernel < last * channels;) {
    const float* g = weight + kernel * 9;
    float* to = u + kernel;
    if (kernel + 4 <= last * channels) {
      transform_kernel<Float4>(
          [&](int i) {
            return Float4{g[i], g[9 + i], g[18 + i], g[27 + i]};
          },
          [&](int place, Float4 value) { store4(to + place * of_place, value); });
      kernel += 4;
    } else {
      transform_kernel<float>([&](int i) { return g[i]; },
                              [&](int place, float value) { to[place * of_place] = value; });
      ++kernel;
    }
  }
}

/// Squares of 2 x 2 results, counted through all images.
struct Squares {
  explicit Squares(const WinogradMap& m)
      : map(m), across((m.out_width + 1) / 2), of_image((m.out_height + 1) / 2 * across) {}

  const WinogradMap& map;
  std::int64_t across;    ///< in one row of an image
  std::int64_t of_image;  ///< in one image

  struct Place {
    std::int64_t image, y, x;  ///< of the upper left result
  };
  std::int64_t count() const { return map.images * of_image; }
  Place place(std::int64_t square) const {
    return {square / of_image, square % of_image / across * 2, square % across * 2};
  }
  /// Of a result of it in channel `row` of `rows`, `below` its upper row.
  std::int64_t result(const Place& at, std::int64_t row, std::int64_t rows, int below) const {
    return ((at.image * rows + row) * map.out_height + at.y + below) * map.out_width + at.x;
  }
  /// Of its upper left value in channel 0 of the source.
  std::int64_t corner(std::int64_t square) const {
    const Place at = place(square);
    return (at.image * map.channels * map.height + at.y) * map.width + at.x;
  }
};

/// Panels v[place][panel][channel][kTileColumns] of the squares [first, last).
void transform_squares(const Squares& squares, const float* source, std::int64_t first,
                       std::int64_t last, float* panels) {
  const WinogradMap& map = squares.map;
  const std::int64_t plane = map.height * map.width;
  const std::int64_t of_place = round_up(last - first, kTileColumns) * map.channels;
  for (std::int64_t square = first; square < last; square += 4) {
    const float* at[4];
    // Past the end the last square is repeated; what comes of it is not used.
    for (int j = 0; j < 4; ++j) {
      at[j] = source + squares.corner(std::min(square + j, last - 1));
    }
    const std::int64_t column = square - first;
    float* to =
        panels + column / kTileColumns * kTileColumns * map.channels + column % kTileColumns;
    for (std::int64_t c = 0; c < map.channels; ++c) {
      Float4 half[4][4];  // of source row y, at the four places along x
      for (int y = 0; y < 4; ++y) {
        const std::int64_t row = c * plane + y * map.width;
        Float4 d[4];
        for (int x = 0; x < 4; ++x) {
          d[x] = Float4{at[0][row + x], at[1][row + x], at[2][row + x], at[3][row + x]};
        }
        transform_source(d[0], d[1], d[2], d[3], half[y]);
      }
      for (int x = 0; x < 4; ++x) {
        Float4 whole[4];
        transform_source(half[0][x], half[1][x], half[2][x], half[3][x], whole);
        for (int y = 0; y < 4; ++y) {
          store4(to + (4 * y + x) * of_place + c * kTileColumns, whole[y]);
        }
      }
    }
  }
}

/// The results of four squares in one row, from products [place][..] that lie `stride` apart.
void results_of_four(const float* products, std::int64_t stride, Float4 (&y)[2][2]) {
  Float4 half[2][4];
  for (int x = 0; x < 4; ++x) {
    Float4 m[4];
    for (int i = 0; i < 4; ++i) m[i] = load4(products + (4 * i + x) * stride);
    half[0][x] = m[0] + m[1] + m[2];
    half[1][x] = m[1] - m[2] - m[3];
  }
  for (int i = 0; i < 2; ++i) {
    y[i][0] = half[i][0] + half[i][1] + half[i][2];
    y[i][1] = half[i][1] - half[i][2] - half[i][3];
  }
}

/// Transforms the products of one row back, finishes and stores them.
void finish_row(const Squares& squares, std::int64_t row, std::int64_t rows, std::int64_t first,
                std::int64_t last, const ProductFinish& finish, const float* products,
                std::int64_t stride, float* out) {
  const WinogradMap& map = squares.map;
  const float scale = finish.scale == nullptr ? 1.0F : finish.scale[row];
  const float shift = finish.bias == nullptr ? 0.0F : finish.bias[row];
  const float lowest = finish.relu ? 0.0F : -std::numeric_limits<float>::infinity();
  const auto finished = [&](auto value, auto added) { return scale * value + shift + added; };
  for (std::int64_t square = first; square < last; square += 4) {
    Float4 y[2][2];
    results_of_four(products + (square - first), stride, y);
    const Squares::Place upper_left = squares.place(square);
    // Four whole squares of one row of the image are eight values side by side.
    if (square + 4 <= last && upper_left.x + 8 <= map.out_width) {
      for (int i = 0; i < 2 && upper_left.y + i < map.out_height; ++i) {
        const std::int64_t place = squares.result(upper_left, row, rows, i);
        for (std::int64_t half = 0; half < 2; ++half) {
          const Float4 value = half == 0 ? __builtin_shufflevector(y[i][0], y[i][1], 0, 4, 1, 5)
                                         : __builtin_shufflevector(y[i][0], y[i][1], 2, 6, 3, 7);
          const std::int64_t to = place + 4 * half;
          const Float4 sum =
              finished(value, finish.residual == nullptr ? Float4{} : load4(finish.residual + to));
          store4(out + to, sum < lowest ? Float4{} + lowest : sum);
        }
      }
      continue;
    }
    const int count = static_cast<int>(std::min<std::int64_t>(4, last - square));
    for (int j = 0; j < count; ++j) {
      const Squares::Place at = squares.place(square + j);
      for (int i = 0; i < 2 && at.y + i < map.out_height; ++i) {
        const std::int64_t place = squares.result(at, row, rows, i);
        for (int k = 0; k < 2 && at.x + k < map.out_width; ++k) {
          const float added = finish.residual == nullptr ? 0.0F : finish.residual[place + k];
          out[place + k] = std::max(finished(y[i][k][j], added), lowest);
        }
      }
    }
  }
}

void grow(std::vector<float>& buffer, std::int64_t floats) {
  if (buffer.size() < static_cast<std::size_t>(floats)) {
    buffer.resize(static_cast<std::size_t>(floats));
  }
}

}  // namespace

void winograd_conv(const WinogradMap& map, const float* source, const float* weight,
                   std::int64_t rows, const ProductFinish& finish, float* out) {
  const std::int64_t channels = map.channels;
  // Memory is kept from call to call: fresh pages would cost as much as the work.
  static thread_local std::vector<float> transformed;
  grow(transformed, kPlaces * rows * channels);
  float* u = transformed.data();
  at::parallel_for(0, rows, 4, [&](std::int64_t first, std::int64_t last) {
    transform_weights(weight, first, last, rows, channels, u);
  });

  const Squares squares(map);
  const auto task = [&](std::int64_t row, std::int64_t last_row, std::int64_t first,
                        std::int64_t last) {
    static thread_local std::vector<float> panels;
    static thread_local std::vector<float> products;
    const std::int64_t width = round_up(last - first, kTileColumns);
    const std::int64_t of_place = width * round_up(last_row - row, kTileRows);
    grow(panels, kPlaces * width * channels);
    grow(products, kPlaces * of_place);
    transform_squares(squares, source, first, last, panels.data());
    for (std::int64_t place = 0; place < kPlaces; ++place) {
      for (std::int64_t c = 0; c < channels; c += kPanelDepth) {
        multiply_panels(u + (place * rows + row) * channels + c, channels, last_row - row,
                        panels.data() + place * width * channels + c * kTileColumns,
                        channels * kTileColumns, width, std::min(kPanelDepth, channels - c), c == 0,
                        products.data() + place * of_place);
      }
    }
    for (std::int64_t r = row; r < last_row; ++r) {
      finish_row(squares, r, rows, first, last, finish, products.data() + (r - row) * width,
                 of_place, out);
    }
  };
  // As many blocks of squares as threads at least; where there are too few, threads share the rows.
  const auto threads = static_cast<std::int64_t>(at::get_num_threads());
  const std::int64_t fitting =
      std::max(kTileColumns, kPanelFloats / 4 / channels / kTileColumns * kTileColumns);
  const std::int64_t step = balanced_step(squares.count(), fitting, threads);
  const std::int64_t blocks = (squares.count() + step - 1) / step;
  const std::int64_t row_step =
      blocks >= threads ? rows : round_up((rows * blocks + threads - 1) / threads, kTileRows);
  const std::int64_t row_blocks = (rows + row_step - 1) / row_step;
  at::parallel_for(0, row_blocks * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = i / blocks * row_step;
      const std::int64_t first = i % blocks * step;
      task(row, std::min(row + row_step, rows), first, std::min(first + step, squares.count()));
    }
  });
}

}  // namespace cubcal
