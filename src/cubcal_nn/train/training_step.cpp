#include "cubcal_nn/train/training_step.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace cubcal {

TrainingStep::TrainingStep(Network& network, const StageOptions& options,
                           const Objective& objective, const KlScale& kl_scale,
                           at::Tensor class_weights, std::uint64_t seed,
                           const ComputeOptions& compute, const RankSplit& split)
    : network_(network),
      options_(options),
      objective_(objective),
      kl_scale_(kl_scale),
      class_weights_(std::move(class_weights)),
      seed_(seed),
      compute_(compute_settings(compute.precision, network.options().device)),
      exchange_(split, options.training_passes(), options.norm_momentum_of_pass()),
      optimiser_(network.parameters(), options.sgd) {
  const c10::Device device = network.options().device;
  if (compute.fused && split.group == nullptr && device.is_cuda() && has_fused_kernels(device) &&
      network.options().dtype == at::kFloat) {
    fused_ = std::make_unique<FusedStep>(network, options, objective, kl_scale, class_weights_,
                                         seed, optimiser_, compute.precision);
  } else {
    passes_ = std::make_unique<WeightPasses>(network.parameters(),
                                             static_cast<std::size_t>(exchange_.passes().count),
                                             WeightPasses::Use::kTraining);
    if (split.group != nullptr) {
      passes_->watch(gradient_pieces(network.parameters(), split.piece));
    }
  }
}

std::vector<at::Tensor> TrainingStep::forward(const Batch& batch) {
  std::vector<at::Tensor> logits;
  for (std::size_t s = 0; s < passes_->slots(); ++s) {
    ForwardContext context = network_.context(*passes_, s, /*training=*/true);
    context.samples = batch.indices;
    context.norm_momentum = options_.norm_momentum_of_pass();
    context.add_up = exchange_.add_up(batch);
    logits.push_back(network_.forward(batch.images, context));
  }
  return logits;
}

StepNumbers TrainingStep::run(const Batch& batch, const StepOptions& step) {
  if (fused_) return fused_->run(batch, step);
  const ComputeScope computing(compute_);
  const c10::AutoGradMode with_gradient(true);
  network_.parameters().zero_gradients();
  exchange_.begin(network_.parameters());
  passes_->draw(NoiseKey{seed_, step.stream, static_cast<std::uint32_t>(exchange_.passes().first)});
  std::vector<at::Tensor> logits = forward(batch);

  at::Tensor z = exchange_.whole_logits(at::stack(logits).detach(), batch);
  z.set_requires_grad(true);
  const at::Tensor scalars =
      at::tensor(objective_.scalars(), at::kDouble).to(z.device(), z.scalar_type());
  const StepTerms terms =
      step_loss(z, batch.labels, class_weights_, objective_, scalars, /*replayed=*/false);
  terms.objective.loss.backward();
  passes_->backward(logits, exchange_.own_part(z.grad(), batch),
                    exchange_.start(network_.parameters(), batch));
  exchange_.finish(network_.parameters());
  const bool gaussian = has_gaussians(network_.options().kind);
  const at::Tensor kl = gaussian ? add_kl_gradient(network_.parameters(), options_.kl, kl_scale_)
                                 : at::zeros({}, z.options().dtype(at::kDouble));

  StepNumbers numbers = unpack_terms(pack_terms(terms, kl), objective_, batch.labels.size(0));
  if (std::isfinite(numbers.terms.loss)) optimiser_.step(step.learning_rate);
  return numbers;
}

}  // namespace cubcal
