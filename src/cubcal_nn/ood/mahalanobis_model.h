#pragma once

#include "cubcal_nn/ood/detector.h"
#include "cubcal_nn/ood/gaussian.h"
#include "cubcal_nn/ood/moments.h"

namespace cubcal {

/// The Gaussian models behind three detectors, of one layer's features z:
///   d_class(z) = min_k (z - m_k)^T C^-1 (z - m_k)   class means, shared covariance / N
///   d_all(z)   = (z - m)^T C_0^-1 (z - m)           one background Gaussian, covariance / N
/// See gaussian.h for the covariances. With one class the two are the same.
class MahalanobisModel {
 public:
  void observe(const at::Tensor& rows, const at::Tensor& labels) { moments_.add(rows, labels); }
  /// The background is fitted only where it is wanted.
  void finish(std::optional<double> shrinkage, bool background);

  at::Tensor distance(const at::Tensor& rows) const;           ///< [B]: d_class
  at::Tensor relative_distance(const at::Tensor& rows) const;  ///< [B]: d_class - d_all

  /// Entries are named with this prefix.
  NamedTensors tensors(const std::string& prefix) const;
  void set_tensors(const NamedTensors& tensors, const std::string& prefix, bool background);

 private:
  ClassMoments moments_;
  at::Tensor class_means_;
  Gaussian within_;
  at::Tensor mean_;  ///< [1, D] of the background
  Gaussian background_;
};

}  // namespace cubcal
