#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

#include "cubcal_nn/bayes/parameter_store.h"
#include "cubcal_nn/kernels/fused_layout.h"

namespace cubcal {

/// Every batch norm of a network at its running statistics (ParameterStore::norm_folds), worked out
/// in a dozen operations on flat tensors however many norms there are: on a GPU a few operations
/// for each norm would take longer than drawing the weights.
class FoldedNorms {
 public:
  /// The store must outlive it.
  explicit FoldedNorms(const ParameterStore& store);

  /// Reads the store as it is now.
  void refresh();
  /// The shift of the norm of fold `index`, a view that refresh() rewrites.
  at::Tensor shift(std::size_t index) const;

  /// Where the rows of a layout find their scale and shift.
  struct Rows {
    at::Tensor scale, shift;  ///< int64 [affine_rows]
  };
  Rows rows_of(const FusedLayout& layout) const;
  /// Scale and shift of a layout's rows; rewrites `affine` where it is defined.
  void put(const Rows& rows, NormAffine& affine) const;

 private:
  const ParameterStore& store_;
  std::vector<std::int64_t> first_;            ///< channel of each fold, and the end
  at::Tensor gamma_, beta_, mean_, variance_;  ///< places in the flat values
  at::Tensor scale_, shift_;                   ///< of all channels, then of none: 1 and 0
};

}  // namespace cubcal
