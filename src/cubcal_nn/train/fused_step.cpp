#include "cubcal_nn/train/fused_step.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

namespace cubcal {

namespace {

/// Steps that run before a graph is made of one, so that memory and algorithms are chosen.
constexpr int kEagerBatches = 3;

FusedWeights::Options weight_options(const Network& network, const StageOptions& options,
                                     Precision resolved) {
  FusedWeights::Options weights;
  weights.slots = static_cast<std::size_t>(options.training_passes());
  weights.dtype = activation_type(resolved);
  weights.dropout_layers = network.dropout_layers();
  return weights;
}

}  // namespace

FusedStep::FusedStep(Network& network, const StageOptions& options, const Objective& objective,
                     const KlScale& kl_scale, at::Tensor class_weights, std::uint64_t seed,
                     FlatSgd& optimiser, Precision precision)
    : network_(network),
      options_(options),
      objective_(objective),
      kl_scale_(kl_scale),
      class_weights_(std::move(class_weights)),
      seed_(seed),
      compute_(compute_settings(precision, network.options().device)),
      optimiser_(optimiser),
      weights_(network.parameters(), weight_options(network, options, *compute_.precision)),
      graph_(network.options().device),
      scalars_(at::zeros({1 + static_cast<std::int64_t>(objective.scalars().size())},
                         at::TensorOptions().dtype(at::kFloat).device(network.options().device))) {
  weights_.need_gradients();
}

void FusedStep::place(const Batch& batch) {
  if (!inputs_.images.defined() || inputs_.images.size(0) != batch.images.size(0)) {
    inputs_.images = at::empty(batch.images.sizes(), batch.images.options().dtype(weights_.dtype()),
                               at::MemoryFormat::ChannelsLast);
    inputs_.labels = at::empty_like(batch.labels);
    inputs_.samples = at::empty_like(batch.labels);
  }
  inputs_.images.copy_(batch.images);
  inputs_.labels.copy_(batch.labels);
  inputs_.samples.copy_(at::tensor(batch.indices, at::kLong));
}

void FusedStep::set_scalars(const StepOptions& step) {
  std::vector<double> values = objective_.scalars();
  values.insert(values.begin(), step.learning_rate);
  scalars_.copy_(at::tensor(values, at::kFloat));
}

std::vector<at::Tensor> FusedStep::forward() const {
  std::vector<at::Tensor> logits;
  for (std::size_t s = 0; s < weights_.slots(); ++s) {
    ForwardContext context = weights_.context(s);
    context.training = true;
    context.norm_momentum = options_.norm_momentum_of_pass();
    context.device_samples = inputs_.samples;
    logits.push_back(network_.forward(inputs_.images, context).to(at::kFloat));
  }
  return logits;
}

void FusedStep::work() {
  const c10::AutoGradMode with_gradient(true);
  weights_.refresh_sigma();
  weights_.draw();
  std::vector<at::Tensor> logits = forward();
  at::Tensor z = at::stack(logits).detach();
  z.set_requires_grad(true);
  const StepTerms terms = step_loss(z, inputs_.labels, class_weights_, objective_,
                                    scalars_.slice(0, 1), /*replayed=*/true);
  const at::Tensor slope = torch::autograd::grad({terms.objective.loss}, {z})[0];
  std::vector<std::vector<at::Tensor>> gradients;
  for (std::size_t s = 0; s < logits.size(); ++s) {
    gradients.push_back(torch::autograd::grad({logits[s]}, weights_.leaves(s),
                                              {slope[static_cast<std::int64_t>(s)]}));
    logits[s] = at::Tensor();
  }
  const at::Tensor kl = weights_.fold(gradients, options_.kl, kl_scale_);
  packed_ = pack_terms(terms, kl);
  optimiser_.step_on_device(scalars_.narrow(0, 0, 1), packed_[0]);
}

StepNumbers FusedStep::run(const Batch& batch, const StepOptions& step) {
  const bool full = batch.labels.size(0) == options_.batch;
  const bool replays = full && ++full_batches_ > kEagerBatches;
  // The tensors of a captured step stay where they are while a smaller batch goes by.
  const bool passes_by = !replays && graph_.captured();
  const Inputs kept_inputs = inputs_;
  const at::Tensor kept_packed = packed_;
  if (passes_by) inputs_ = {};
  // The search for the fastest algorithms takes seconds: it pays for the shapes that repeat.
  compute_.search_algorithms = full;
  const ComputeScope computing(compute_);
  place(batch);
  set_scalars(step);
  weights_.set_key({seed_, step.stream, 0});
  if (replays) {
    replay();
  } else {
    graph_.run([this] { work(); });
  }
  StepNumbers numbers = unpack_terms(packed_, objective_, batch.labels.size(0));
  if (passes_by) {
    inputs_ = kept_inputs;
    packed_ = kept_packed;
    weights_.upload(captured_);
  }
  return numbers;
}

void FusedStep::replay() {
  if (!graph_.captured()) {
    graph_.capture([this] { work(); });
    captured_ = weights_.addresses();
    weights_.upload(captured_);
  }
  graph_.replay();
}

}  // namespace cubcal
