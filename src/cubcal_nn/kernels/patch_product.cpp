#include "cubcal_nn/kernels/patch_product.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <limits>

#include "cubcal_nn/kernels/panel_product.h"

namespace cubcal {

namespace {

/// Scratch memory of a thread, kept from call to call: fresh pages would cost as much as the work.
struct Scratch {
  std::vector<float> panels, products;
  std::vector<std::int64_t> corners;

  void reserve(std::int64_t panel_floats, std::int64_t product_floats) {
    grow(panels, panel_floats);
    grow(products, product_floats);
  }
  static Scratch& of_thread() {
    static thread_local Scratch scratch;
    return scratch;
  }

 private:
  static void grow(std::vector<float>& buffer, std::int64_t floats) {
    if (buffer.size() < static_cast<std::size_t>(floats)) {
      buffer.resize(static_cast<std::size_t>(floats));
    }
  }
};

std::int64_t corner(const PatchMap& map, std::int64_t column) {
  const std::int64_t image = column / map.area();
  const std::int64_t y = column % map.area() / map.out_width;
  const std::int64_t x = column % map.out_width;
  return (image * map.channels * map.height + y * map.stride) * map.width + x * map.stride;
}

constexpr std::size_t kGroups = kTileColumns / 4;

/// The values of kTileColumns patches in every term.
void pack_tile(const float* source, const std::array<std::int64_t, kTileColumns>& corners,
               const std::vector<std::int64_t>& terms, float* panel) {
  std::array<bool, kGroups> adjacent;
  for (std::size_t g = 0; g < kGroups; ++g) {
    const std::int64_t first = corners[4 * g];
    adjacent[g] = corners[4 * g + 1] == first + 1 && corners[4 * g + 2] == first + 2 &&
                  corners[4 * g + 3] == first + 3;
  }
  for (const std::int64_t term : terms) {
    const float* at = source + term;
    for (std::size_t g = 0; g < kGroups; ++g) {
      const std::int64_t* of_group = &corners[4 * g];
      const Float4 values =
          adjacent[g] ? load4(at + of_group[0])
                      : Float4{at[of_group[0]], at[of_group[1]], at[of_group[2]], at[of_group[3]]};
      store4(panel + 4 * g, values);
    }
    panel += kTileColumns;
  }
}

/// Panels of kTileColumns patches each, all terms of one after another.
void pack_columns(const PatchMap& map, const float* source, std::int64_t first, std::int64_t last,
                  float* panels) {
  for (std::int64_t column = first; column < last; column += kTileColumns) {
    std::array<std::int64_t, kTileColumns> corners;
    // Past the end the last patch is repeated; what comes of it is not used.
    for (std::int64_t j = 0; j < kTileColumns; ++j) {
      corners[static_cast<std::size_t>(j)] = corner(map, std::min(column + j, last - 1));
    }
    pack_tile(source, corners, map.terms, panels + (column - first) * map.depth());
  }
}

/// Panels of kTileColumns terms each, all given patches of one after another.
void pack_terms(const PatchMap& map, const float* source, const std::vector<std::int64_t>& corners,
                std::int64_t first_term, std::int64_t last_term, float* panels) {
  for (std::int64_t k = first_term; k < last_term; k += kTileColumns) {
    std::array<const float*, kTileColumns> at;
    for (std::int64_t j = 0; j < kTileColumns; ++j) {
      at[static_cast<std::size_t>(j)] =
          source + map.terms[static_cast<std::size_t>(std::min(k + j, last_term - 1))];
    }
    for (const std::int64_t c : corners) {
      for (std::size_t j = 0; j < kTileColumns; j += 4) {
        store4(panels + j, Float4{at[j][c], at[j + 1][c], at[j + 2][c], at[j + 3][c]});
      }
      panels += kTileColumns;
    }
  }
}

/// The finish of one row, which is stored image by image.
void finish_row(const PatchMap& map, std::int64_t row, std::int64_t rows, std::int64_t first,
                std::int64_t last, const ProductFinish& finish, const float* sums, float* out) {
  const float scale = finish.scale == nullptr ? 1.0F : finish.scale[row];
  const float shift = finish.bias == nullptr ? 0.0F : finish.bias[row];
  const float lowest = finish.relu ? 0.0F : -std::numeric_limits<float>::infinity();
  for (std::int64_t column = first; column < last;) {
    const std::int64_t image = column / map.area();
    const std::int64_t count = std::min(last, (image + 1) * map.area()) - column;
    const std::int64_t place = (image * rows + row) * map.area() + column % map.area();
    float* to = out + place;
    if (finish.residual == nullptr) {
      for (std::int64_t i = 0; i < count; ++i) to[i] = std::max(scale * sums[i] + shift, lowest);
    } else {
      const float* residual = finish.residual + place;
      for (std::int64_t i = 0; i < count; ++i) {
        to[i] = std::max(scale * sums[i] + shift + residual[i], lowest);
      }
    }
    sums += count;
    column += count;
  }
}

}  // namespace

void multiply_patches(const PatchMap& map, const float* source, const float* weight,
                      std::int64_t rows, const ProductFinish& finish, float* out) {
  const std::int64_t depth = map.depth();
  const std::int64_t columns = map.columns();
  const auto task = [&](std::int64_t row, std::int64_t last_row, std::int64_t column,
                        std::int64_t last_column) {
    Scratch& scratch = Scratch::of_thread();
    const std::int64_t width = round_up(last_column - column, kTileColumns);
    scratch.reserve(width * depth, width * round_up(last_row - row, kTileRows));
    pack_columns(map, source, column, last_column, scratch.panels.data());
    for (std::int64_t k = 0; k < depth; k += kPanelDepth) {
      multiply_panels(weight + row * depth + k, depth, last_row - row,
                      scratch.panels.data() + k * kTileColumns, depth * kTileColumns, width,
                      std::min(kPanelDepth, depth - k), k == 0, scratch.products.data());
    }
    for (std::int64_t r = row; r < last_row; ++r) {
      finish_row(map, r, rows, column, last_column, finish,
                 scratch.products.data() + (r - row) * width, out);
    }
  };
  // Few columns (one image): threads share the rows, so that each weight is read once. Many: they
  // share the columns, so that each patch is made once.
  const auto threads = static_cast<std::int64_t>(at::get_num_threads());
  const std::int64_t fitting =
      std::max(kTileColumns, kPanelFloats / depth / kTileColumns * kTileColumns);
  const bool share_rows = columns <= fitting || columns < 4 * kTileColumns * threads;
  const std::int64_t row_step =
      share_rows ? round_up((rows + threads - 1) / threads, kTileRows) : rows;
  const std::int64_t column_step = balanced_step(columns, fitting, share_rows ? 1 : threads);
  const std::int64_t row_blocks = (rows + row_step - 1) / row_step;
  const std::int64_t column_blocks = (columns + column_step - 1) / column_step;
  at::parallel_for(0, row_blocks * column_blocks, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t row = i / column_blocks * row_step;
      const std::int64_t column = i % column_blocks * column_step;
      task(row, std::min(row + row_step, rows), column, std::min(column + column_step, columns));
    }
  });
}

void multiply_by_patches(const PatchMap& map, const float* source, const float* gradient,
                         std::int64_t rows, float* out) {
  const std::int64_t depth = map.depth();
  const std::int64_t columns = map.columns();
  const std::int64_t step =
      balanced_step(depth, 12 * kTileColumns, static_cast<std::int64_t>(at::get_num_threads()));
  at::parallel_for(0, (depth + step - 1) / step, 1, [&](std::int64_t begin, std::int64_t end) {
    Scratch& scratch = Scratch::of_thread();
    scratch.reserve(step * kPanelDepth, step * round_up(rows, kTileRows));
    for (std::int64_t term = begin * step; term < std::min(end * step, depth); term += step) {
      const std::int64_t last_term = std::min(term + step, depth);
      const std::int64_t width = round_up(last_term - term, kTileColumns);
      for (std::int64_t column = 0; column < columns; column += kPanelDepth) {
        const std::int64_t count = std::min(kPanelDepth, columns - column);
        scratch.corners.clear();
        for (std::int64_t i = 0; i < count; ++i) {
          scratch.corners.push_back(corner(map, column + i));
        }
        pack_terms(map, source, scratch.corners, term, last_term, scratch.panels.data());
        multiply_panels(gradient + column, columns, rows, scratch.panels.data(),
                        count * kTileColumns, width, count, column == 0, scratch.products.data());
      }
      for (std::int64_t row = 0; row < rows; ++row) {
        const float* sums = scratch.products.data() + row * width;
        std::copy(sums, sums + (last_term - term), out + row * depth + term);
      }
    }
  });
}

}  // namespace cubcal
