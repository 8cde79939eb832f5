#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace cubcal {

/// Count, mean and scatter matrix of rows that come in batches, in double.
///
/// Two sets with (n_a, m_a, S_a) and (n_b, m_b, S_b) merge to n = n_a + n_b,
///   m = m_a + (n_b / n) (m_b - m_a),  S = S_a + S_b + (n_a n_b / n) (m_b - m_a)(m_b - m_a)^T
/// (Chan, Golub and LeVeque 1979), which loses no digits where the mean is large against the
/// spread. Memory is D^2, whatever the number of rows.
class Moments {
 public:
  /// rows: [B, D] of any floating type.
  void add(const at::Tensor& rows);
  void merge(const Moments& other);

  std::int64_t count() const { return count_; }
  std::int64_t dimension() const { return count_ == 0 ? 0 : mean_.size(0); }
  const at::Tensor& mean() const { return mean_; }        ///< [D]
  const at::Tensor& scatter() const { return scatter_; }  ///< [D, D]
  at::Tensor covariance() const;                          ///< scatter / count

 private:
  std::int64_t count_ = 0;
  at::Tensor mean_;
  at::Tensor scatter_;
};

/// The moments of all rows, and the count and mean of every class.
class ClassMoments {
 public:
  /// labels: int64 [B] from 0 on, on the rows' device.
  void add(const at::Tensor& rows, const at::Tensor& labels);

  const Moments& all() const { return all_; }
  /// [K', D]: the means of the classes that have samples, by rising label.
  at::Tensor class_means() const;
  /// Covariance around the class means, divided by the number of rows:
  /// (S - sum_k n_k (m_k - m)(m_k - m)^T) / N. Classes share it; one with a single sample adds
  /// nothing.
  at::Tensor within_covariance() const;

 private:
  at::Tensor present() const;

  Moments all_;
  at::Tensor origin_;  ///< [D], the mean of the first batch: class sums are taken from there
  at::Tensor counts_;  ///< [K]
  at::Tensor sums_;    ///< [K, D] of rows - origin
};

}  // namespace cubcal
