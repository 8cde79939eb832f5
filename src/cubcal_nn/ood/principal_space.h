#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal_nn/bayes/parameter_store.h"
#include "cubcal_nn/ood/moments.h"

namespace cubcal {

/// The directions of largest variance around a mean, and how far points lie off them.
class PrincipalSpace {
 public:
  /// The smallest number of directions that explain at least this share of the variance, and one
  /// less than the dimension at most, so that something is left off them. Throws DataError where
  /// there is no variance, or a single feature.
  static PrincipalSpace explaining(const Moments& moments, double share);
  /// So many directions, fewer than the dimension.
  static PrincipalSpace of_dimension(const Moments& moments, std::int64_t directions);

  /// |(I - V V^T)(x - m)| of every row, [B].
  at::Tensor residual_norm(const at::Tensor& rows) const;
  std::int64_t directions() const;

  NamedTensors tensors() const;
  static PrincipalSpace from_tensors(const NamedTensors& tensors);

 private:
  PrincipalSpace() = default;
  static PrincipalSpace largest(const Moments& moments, const at::Tensor& vectors,
                                std::int64_t directions);

  at::Tensor mean_;  ///< [D]
  /// [D, q]: the directions themselves, or those at right angles to them where these are fewer.
  at::Tensor basis_;
  bool complement_ = false;
};

}  // namespace cubcal
