#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

/// The two matrix products behind convolutions on the CPU. The patches a kernel sees are the
/// columns of a matrix [terms, columns] that is never stored: panels of it are made in the cache
/// and used there. Every sum runs in one order whatever the number of threads.
namespace cubcal {

/// Where patches lie in memory: that of image b at (y, x) has its term k at
/// (b * channels * height + y * stride) * width + x * stride + terms[k].
struct PatchMap {
  std::int64_t images, channels, height, width;  ///< of the source, with its border
  std::int64_t out_height, out_width;            ///< places of the kernel in one image
  std::int64_t stride = 1;
  std::vector<std::int64_t> terms = {};

  std::int64_t depth() const { return static_cast<std::int64_t>(terms.size()); }
  std::int64_t area() const { return out_height * out_width; }
  std::int64_t columns() const { return images * area(); }
};

/// What is done to a product before it is stored: act(scale * product + bias + residual); null
/// pointers leave a part out.
struct ProductFinish {
  const float* scale = nullptr;     ///< one per row
  const float* bias = nullptr;      ///< one per row
  const float* residual = nullptr;  ///< laid out as the result
  bool relu = false;
};

/// out[b, r, y, x] = sum_k weight[r, k] patch[k, (b, y, x)], finished. weight: [rows, depth].
void multiply_patches(const PatchMap& map, const float* source, const float* weight,
                      std::int64_t rows, const ProductFinish& finish, float* out);

/// out[r, k] = sum over columns of gradient[r, column] patch[k, column]: the gradient of the
/// weights above. gradient: [rows, columns].
void multiply_by_patches(const PatchMap& map, const float* source, const float* gradient,
                         std::int64_t rows, float* out);

}  // namespace cubcal
