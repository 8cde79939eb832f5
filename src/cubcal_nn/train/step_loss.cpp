#include "cubcal_nn/train/step_loss.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "cubcal_nn/losses/cross_entropy.h"

namespace cubcal {

StepTerms step_loss(const at::Tensor& logits, const at::Tensor& labels,
                    const at::Tensor& class_weights, const Objective& objective,
                    const at::Tensor& scalars, bool replayed) {
  const MeanPrediction prediction = mean_prediction(logits);
  StepTerms step;
  step.cross_entropy = expected_cross_entropy(logits, labels, class_weights);
  step.correct = (prediction.predicted == labels).sum();
  step.objective =
      objective.evaluate({logits, labels, prediction, step.cross_entropy, scalars, replayed});
  return step;
}

at::Tensor pack_terms(const StepTerms& step, const at::Tensor& kl) {
  const c10::NoGradGuard no_grad;
  const auto number = [](const at::Tensor& value) {
    return value.detach().to(at::kDouble).view({1});
  };
  std::vector<at::Tensor> parts = {number(step.objective.loss) + kl, number(step.cross_entropy),
                                   number(kl), number(step.correct)};
  for (const at::Tensor& term : step.objective.terms) parts.push_back(number(term));
  if (step.objective.observed.defined()) parts.push_back(step.objective.observed);
  return at::cat(parts);
}

StepNumbers unpack_terms(const at::Tensor& packed, const Objective& objective, std::int64_t batch) {
  const at::Tensor values = packed.to(at::kCPU);
  const double* value = values.data_ptr<double>();
  const double* end = value + values.numel();
  StepNumbers numbers;
  numbers.batch = batch;
  numbers.terms = {value[0], value[1], value[2], value[3], {}};
  value += 4;
  for (const TermName& term : objective.terms()) numbers.terms.own.emplace_back(term.key, *value++);
  numbers.observed.assign(value, end);
  return numbers;
}

}  // namespace cubcal
