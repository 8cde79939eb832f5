#include "cubcal/train/training_step.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "cubcal/losses/cross_entropy.h"
#include "cubcal/losses/cub_loss.h"
#include "cubcal/losses/mean_prediction.h"

namespace cubcal {

TrainingStep::TrainingStep(Network& network, const StageOptions& options, const KlScale& kl_scale,
                           at::Tensor class_weights, std::uint64_t seed)
    : network_(network),
      options_(options),
      kl_scale_(kl_scale),
      class_weights_(std::move(class_weights)),
      seed_(seed),
      passes_(network.parameters(), static_cast<std::size_t>(options.training_passes()),
              WeightPasses::Use::kTraining),
      optimiser_(network.parameters(), options.sgd) {}

std::vector<at::Tensor> TrainingStep::forward(const Batch& batch) {
  const double momentum =
      1 - std::pow(1 - options_.norm_momentum, 1.0 / static_cast<double>(passes_.slots()));
  std::vector<at::Tensor> logits;
  for (std::size_t s = 0; s < passes_.slots(); ++s) {
    ForwardContext context = network_.context(passes_, s, /*training=*/true);
    context.samples = batch.indices;
    context.norm_momentum = momentum;
    logits.push_back(network_.forward(batch.images, context));
  }
  return logits;
}

LossTerms TrainingStep::run(const Batch& batch, const StepOptions& step, AvucThreshold& threshold) {
  const c10::AutoGradMode with_gradient(true);
  network_.parameters().zero_gradients();
  passes_.draw(NoiseKey{seed_, step.stream, 0});
  std::vector<at::Tensor> logits = forward(batch);

  at::Tensor z = at::stack(logits).detach();
  z.set_requires_grad(true);
  const MeanPrediction prediction = mean_prediction(z);
  const at::Tensor cross_entropy = expected_cross_entropy(z, batch.labels, class_weights_);
  at::Tensor cub = at::zeros({}, z.options());
  at::Tensor avuc = at::zeros({}, z.options());
  at::Tensor loss = cross_entropy;
  if (options_.method == TrainingMethod::kBnnCub) {
    cub = cub_loss(prediction, batch.labels, options_.cub);
    if (step.beta > 0) loss = loss + step.beta * cub;
  } else if (options_.method == TrainingMethod::kBnnAvuc) {
    avuc = avuc_loss(prediction, batch.labels, threshold.value);
    loss = loss + options_.avuc_weight * avuc;
    threshold.observe(prediction, batch.labels);
  }
  loss.backward();
  passes_.backward(logits, z.grad());
  const bool gaussian = network_.options().kind == LayerKind::kVariational;
  const at::Tensor kl = gaussian ? add_kl_gradient(network_.parameters(), options_.kl, kl_scale_)
                                 : at::zeros({}, z.options().dtype(at::kDouble));

  // One reading of the device for all of them.
  const c10::NoGradGuard no_grad;
  const at::Tensor correct = (prediction.predicted == batch.labels).sum();
  const at::Tensor values =
      at::stack({loss.to(at::kDouble) + kl, cross_entropy.to(at::kDouble), kl, cub.to(at::kDouble),
                 avuc.to(at::kDouble), correct.to(at::kDouble)})
          .to(at::kCPU);
  const double* value = values.data_ptr<double>();
  const LossTerms terms{value[0], value[1], value[2], value[3], value[4], value[5]};
  if (std::isfinite(terms.loss)) optimiser_.step(step.learning_rate);
  return terms;
}

}  // namespace cubcal
