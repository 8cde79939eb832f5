#include "cubcal_nn/losses/mean_prediction.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

void check_logits(const at::Tensor& logits) {
  if (logits.dim() != 3 || logits.size(0) < 1 || logits.size(2) < 2) {
    throw ArgumentError(
        "logits must have the shape [passes, samples, classes] with at least one "
        "pass and two classes");
  }
}

}  // namespace

MeanPrediction mean_prediction(const at::Tensor& logits) {
  check_logits(logits);
  const double log_passes = std::log(static_cast<double>(logits.size(0)));
  MeanPrediction prediction;
  prediction.log_probabilities = at::logsumexp(at::log_softmax(logits, 2), {0}) - log_passes;
  prediction.probabilities = prediction.log_probabilities.exp();
  prediction.predicted = prediction.probabilities.detach().argmax(1);
  prediction.confidence =
      prediction.probabilities.gather(1, prediction.predicted.unsqueeze(1)).squeeze(1);
  prediction.uncertainty = -(prediction.probabilities * prediction.log_probabilities).sum(1);
  return prediction;
}

void check_labels(const at::Tensor& labels, const at::Tensor& logits) {
  check_logits(logits);
  if (labels.dim() != 1 || labels.scalar_type() != at::kLong || labels.size(0) != logits.size(1)) {
    throw DataError("labels must be a vector of " + std::to_string(logits.size(1)) +
                    " whole numbers (int64), one per sample of the logits");
  }
  if (labels.numel() == 0) return;
  const std::int64_t lowest = labels.min().item<std::int64_t>();
  const std::int64_t highest = labels.max().item<std::int64_t>();
  if (lowest < 0 || highest >= logits.size(2)) {
    throw DataError("labels must lie in {0, ..., " + std::to_string(logits.size(2) - 1) +
                    "}, but they range from " + std::to_string(lowest) + " to " +
                    std::to_string(highest));
  }
}

}  // namespace cubcal
