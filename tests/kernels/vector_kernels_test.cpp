#include "cubcal_nn/kernels/vector_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace cubcal {
namespace {

std::vector<float> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(generator);
  return values;
}

TEST(VectorKernels, EndWithThoseThatRunEverywhere) {
  const std::vector<VectorKernels> here = vector_kernels_here();
  EXPECT_STREQ(here.back().vectors, "baseline");
#ifdef __x86_64__
  EXPECT_EQ(here.size() >= 2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
#else
  EXPECT_EQ(here.size(), 1U);
#endif
}

TEST(VectorKernels, DrawTheSameBits) {
  const std::vector<VectorKernels> here = vector_kernels_here();
  const NoiseWords words{0x12345678U, 0x9abcdef0U, 0xdeadbeefU, 7U};
  for (std::int64_t block = 0; block < 4000; ++block) {
    // From the middle of the counter's range too, and where it wraps round.
    const std::int64_t first = block % 2 == 0 ? 256 * block : (std::int64_t{1} << 34) - 4 * block;
    float expected[kNormalBlock];
    here.back().normals(first, words, expected);
    for (const VectorKernels& kernels : here) {
      float values[kNormalBlock];
      kernels.normals(first, words, values);
      ASSERT_EQ(std::memcmp(values, expected, sizeof values), 0) << kernels.vectors << " " << first;
    }
  }
}

struct Product {
  std::int64_t rows, columns, depth, stride;
  std::vector<float> left, panels, before;

  Product(std::int64_t of_rows, std::int64_t of_columns, std::int64_t of_depth)
      : rows(of_rows),
        columns(of_columns),
        depth(of_depth),
        stride(depth + 5),
        left(random_values(rows * stride, 1)),
        panels(random_values(columns * depth, 2)),
        before(random_values(round_up(rows, kTileRows) * columns, 3)) {}

  float factor(std::int64_t row, std::int64_t k) const {
    return left[static_cast<std::size_t>(row * stride + k)];
  }
  float value(std::int64_t k, std::int64_t column) const {
    const std::int64_t panel = column / kTileColumns * depth * kTileColumns;
    return panels[static_cast<std::size_t>(panel + k * kTileColumns + column % kTileColumns)];
  }

  void expect_of(const VectorKernels& kernels, bool first) const {
    std::vector<float> c = before;
    kernels.panels(left.data(), stride, rows, panels.data(), depth * kTileColumns, columns, depth,
                   first, c.data());
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const auto place = static_cast<std::size_t>(i);
      double sum = first ? 0 : static_cast<double>(before[place]);
      double scale = 1 + std::abs(sum);
      for (std::int64_t k = 0; k < depth; ++k) {
        const double product = static_cast<double>(factor(i / columns, k)) *
                               static_cast<double>(value(k, i % columns));
        sum += product;
        scale += std::abs(product);
      }
      ASSERT_NEAR(c[place], sum, 1e-6 * scale)
          << kernels.vectors << ": " << rows << " x " << columns << " x " << depth << ", " << i;
    }
  }
};

TEST(VectorKernels, MultiplyPanels) {
  for (const std::int64_t rows : {1, 3, 8, 13, 40}) {
    for (const std::int64_t columns : {kTileColumns, 3 * kTileColumns}) {
      for (const std::int64_t depth : {1, 4, 7, 64, 131}) {
        const Product product(rows, columns, depth);
        for (const VectorKernels& kernels : vector_kernels_here()) {
          product.expect_of(kernels, true);
          product.expect_of(kernels, false);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cubcal
