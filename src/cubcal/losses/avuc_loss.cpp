#include "cubcal/losses/avuc_loss.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace cubcal {

at::Tensor avuc_loss(const MeanPrediction& prediction, const at::Tensor& labels, double threshold) {
  constexpr double kGuard = 1e-10;
  const at::Tensor& c = prediction.confidence;
  const at::Tensor squashed = prediction.uncertainty.tanh();
  const at::Tensor correct = prediction.predicted == labels;
  const at::Tensor certain = prediction.uncertainty.detach() <= threshold;
  const at::Tensor weight =
      at::where(correct, c, 1 - c) * at::where(certain, 1 - squashed, squashed);
  // AC and IU: certain exactly where correct.
  const at::Tensor as_wished = (correct == certain).to(weight.scalar_type());
  const at::Tensor share = (weight * as_wished).sum() / (weight.sum() + kGuard);
  return -at::log(share + kGuard);
}

void AvucThreshold::observe(const MeanPrediction& prediction, const at::Tensor& labels) {
  const c10::NoGradGuard no_grad;
  const at::Tensor correct = (prediction.predicted == labels).to(at::kDouble);
  const at::Tensor uncertainty = prediction.uncertainty.to(at::kDouble);
  const double right = (uncertainty * correct).sum().item<double>();
  const auto count = static_cast<std::int64_t>(correct.sum().item<double>());
  correct_sum += right;
  correct_count += count;
  incorrect_sum += uncertainty.sum().item<double>() - right;
  incorrect_count += labels.numel() - count;
}

void AvucThreshold::end_epoch() {
  if (finished_epochs < epochs && correct_count > 0 && incorrect_count > 0) {
    value = 0.5 * (correct_sum / static_cast<double>(correct_count) +
                   incorrect_sum / static_cast<double>(incorrect_count));
  }
  ++finished_epochs;
  correct_sum = incorrect_sum = 0;
  correct_count = incorrect_count = 0;
}

}  // namespace cubcal
