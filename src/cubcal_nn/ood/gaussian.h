#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace cubcal {

/// A covariance and its Cholesky factor, ready for squared Mahalanobis distances. No inverse is
/// ever formed: d^2(x, m) = |L^-1 (x - m)|^2 by a triangular solve, with C = L L^T.
///
/// Shrinkage replaces the covariance S by
///   C = (1 - lambda) S + lambda (tr S / D) I.
/// lambda = 0 keeps distances invariant under every invertible affine map of the features. Unless
/// the caller sets it, lambda is 0 while S is regular and otherwise the one of OAS (Chen, Wiesel,
/// Eldar and Hero 2010),
///   lambda = min(1, ((1 - 2/D) tr S^2 + (tr S)^2) / ((N + 1 - 2/D) (tr S^2 - (tr S)^2 / D))),
/// and 1 where S is a multiple of the identity already.
/// S is regular where every pivot L_jj^2 exceeds 1e-10 of the total variance of feature j and
/// 1e-14 of its mean square: what remains below is rounding.
class Gaussian {
 public:
  Gaussian() = default;
  /// covariance: double [D, D] from `samples` rows; total_variance and mean_square: [D] of the same
  /// features. Throws DataError where the features do not vary at all, or where lambda = 0 was
  /// asked for and the covariance is singular.
  Gaussian(const at::Tensor& covariance, const at::Tensor& total_variance,
           const at::Tensor& mean_square, std::int64_t samples, std::optional<double> shrinkage);
  /// A factor that was saved.
  explicit Gaussian(at::Tensor factor) : factor_(std::move(factor)) {}

  const at::Tensor& factor() const { return factor_; }  ///< L, lower
  double shrinkage() const { return shrinkage_; }       ///< the lambda used

  /// d^2 of every row [B, D] to every mean [K, D], as [B, K].
  at::Tensor squared_distances(const at::Tensor& rows, const at::Tensor& means) const;

 private:
  at::Tensor factor_;
  double shrinkage_ = 0;
};

/// The lambda of OAS, see above.
double oas_shrinkage(const at::Tensor& covariance, std::int64_t samples);

}  // namespace cubcal
