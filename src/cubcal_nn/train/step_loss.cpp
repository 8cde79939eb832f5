#include "cubcal_nn/train/step_loss.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "cubcal_nn/losses/cross_entropy.h"
#include "cubcal_nn/losses/cub_loss.h"

namespace cubcal {

StepLoss step_loss(const at::Tensor& logits, const at::Tensor& labels,
                   const at::Tensor& class_weights, const StageOptions& options,
                   const StepScalars& scalars) {
  StepLoss result;
  result.prediction = mean_prediction(logits);
  result.cross_entropy = expected_cross_entropy(logits, labels, class_weights);
  result.cub = at::zeros({}, logits.options());
  result.avuc = at::zeros({}, logits.options());
  result.loss = result.cross_entropy;
  if (options.method == TrainingMethod::kBnnCub) {
    result.cub = cub_loss(result.prediction, labels, options.cub);
    if (scalars.beta.defined()) result.loss = result.loss + scalars.beta * result.cub;
  } else if (options.method == TrainingMethod::kBnnAvuc) {
    result.avuc = avuc_loss(result.prediction, labels, scalars.avuc_threshold);
    result.loss = result.loss + options.avuc_weight * result.avuc;
  }
  return result;
}

at::Tensor pack_terms(const StepLoss& loss, const at::Tensor& kl, const at::Tensor& labels) {
  const c10::NoGradGuard no_grad;
  const auto number = [](const at::Tensor& value) {
    return value.detach().to(at::kDouble).view({1});
  };
  const at::Tensor sums = uncertainty_sums(loss.prediction, labels);
  return at::cat({number(loss.loss) + kl, number(loss.cross_entropy), number(kl), number(loss.cub),
                  number(loss.avuc), sums});
}

StepNumbers unpack_terms(const at::Tensor& packed, std::int64_t batch) {
  const at::Tensor values = packed.to(at::kCPU);
  const double* value = values.data_ptr<double>();
  StepNumbers numbers;
  numbers.terms = {value[0], value[1], value[2], value[3], value[4], value[7]};
  numbers.uncertainty = to_uncertainty_sums(value + 5, batch);
  return numbers;
}

}  // namespace cubcal
