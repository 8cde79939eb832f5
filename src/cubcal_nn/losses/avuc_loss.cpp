#include "cubcal_nn/losses/avuc_loss.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace cubcal {

at::Tensor avuc_loss(const MeanPrediction& prediction, const at::Tensor& labels, double threshold) {
  return avuc_loss(prediction, labels, at::full({}, threshold, prediction.uncertainty.options()));
}

at::Tensor avuc_loss(const MeanPrediction& prediction, const at::Tensor& labels,
                     const at::Tensor& threshold) {
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

at::Tensor uncertainty_sums(const MeanPrediction& prediction, const at::Tensor& labels) {
  const c10::NoGradGuard no_grad;
  const at::Tensor correct = (prediction.predicted == labels).to(at::kDouble);
  const at::Tensor uncertainty = prediction.uncertainty.to(at::kDouble);
  return at::stack({(uncertainty * correct).sum(), uncertainty.sum(), correct.sum()});
}

UncertaintySums to_uncertainty_sums(const double* sums, std::int64_t count) {
  const auto correct = static_cast<std::int64_t>(sums[2]);
  return {sums[0], sums[1] - sums[0], correct, count - correct};
}

void AvucThreshold::observe(const UncertaintySums& sums) {
  correct_sum += sums.correct_sum;
  correct_count += sums.correct_count;
  incorrect_sum += sums.incorrect_sum;
  incorrect_count += sums.incorrect_count;
}

void AvucThreshold::observe(const MeanPrediction& prediction, const at::Tensor& labels) {
  const at::Tensor sums = uncertainty_sums(prediction, labels).to(at::kCPU);
  observe(to_uncertainty_sums(sums.data_ptr<double>(), labels.numel()));
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
