#pragma once

#include <ATen/core/Tensor.h>

namespace cubcal {

/// The mean prediction of S passes, computed once and shared by the losses. Differentiable in the
/// logits, except `predicted`.
///
/// Everything starts from ln p = logsumexp_s(log_softmax(z_s)) - ln S, which is finite for finite
/// logits even where p underflows to 0: no loss built on it can see 0 * inf.
struct MeanPrediction {
  at::Tensor log_probabilities;  ///< ln p [B, K]
  at::Tensor probabilities;      ///< p [B, K]
  at::Tensor predicted;          ///< argmax_k p [B], int64, the lowest index where equal
  at::Tensor confidence;         ///< c = max_k p [B]
  at::Tensor uncertainty;        ///< U = H(p) in nats [B]
};

/// logits is [S, B, K] with K >= 2.
MeanPrediction mean_prediction(const at::Tensor& logits);

/// Checks that labels is an int64 vector of as many entries as logits [S, B, K] has samples, each
/// in {0, ..., K-1}; throws DataError. It reads the values: on CUDA it waits for the device.
void check_labels(const at::Tensor& labels, const at::Tensor& logits);

}  // namespace cubcal
