#pragma once

#include <cstddef>

namespace cubcal {

struct Half;
class NdArray;
enum class DType;

/// A view of Monte Carlo logits z[S, N, K]: S stochastic passes over N samples with K classes, in C
/// order, as float16, float32 or float64. It owns nothing; the memory must outlive it.
class McLogits {
 public:
  /// Throws DataError for S, N or K = 0 and for K = 1.
  McLogits(const float* data, std::size_t passes, std::size_t samples, std::size_t classes);
  McLogits(const double* data, std::size_t passes, std::size_t samples, std::size_t classes);
  McLogits(const Half* data, std::size_t passes, std::size_t samples, std::size_t classes);
  /// `array` has shape [S, N, K], or [N, K] for a single pass. Throws DataError for another rank or
  /// type too.
  explicit McLogits(const NdArray& array);

  std::size_t passes() const { return passes_; }
  std::size_t samples() const { return samples_; }
  std::size_t classes() const { return classes_; }
  DType dtype() const { return dtype_; }
  const void* data() const { return data_; }
  /// One logit, widened.
  double at(std::size_t pass, std::size_t sample, std::size_t label) const;

 private:
  McLogits(DType dtype, const void* data, std::size_t passes, std::size_t samples,
           std::size_t classes);

  DType dtype_;
  const void* data_;
  std::size_t passes_;
  std::size_t samples_;
  std::size_t classes_;
};

}  // namespace cubcal
