#include "cubcal_nn/train/fused_step.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>

#include "cubcal_nn/kernels/device_memory.h"

namespace cubcal {

namespace {

/// Steps that run before a graph is made of one, so that memory and algorithms are chosen.
constexpr int kEagerBatches = 3;

/// Passes run side by side while what they keep for the way back takes no more than this of the
/// device's memory: it saves a tenth to two fifths of the time, and can take half as much again.
constexpr double kShareSideBySide = 1.0 / 9;

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
      branches_(network.options().device, weights_.slots()),
      statistics_(at::empty({static_cast<std::int64_t>(weights_.slots()),
                             network.parameters().buffer_values().numel()},
                            network.parameters().buffer_values().options())),
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

void FusedStep::for_each_pass(const std::function<void(std::size_t)>& work) {
  if (DeviceGraph::capturing() && share_kept_ <= kShareSideBySide) return branches_.run(work);
  for (std::size_t s = 0; s < weights_.slots(); ++s) work(s);
}

at::Tensor FusedStep::forward(std::size_t pass) const {
  ForwardContext context = weights_.context(pass);
  context.training = true;
  context.norm_statistics = statistics_[static_cast<std::int64_t>(pass)];
  context.device_samples = inputs_.samples;
  return network_.forward(inputs_.images, context).to(at::kFloat);
}

/// As if each pass in turn had moved the running statistics.
void FusedStep::move_statistics() {
  const c10::NoGradGuard no_grad;
  for (std::int64_t s = 0; s < statistics_.size(0); ++s) {
    network_.parameters().buffer_values().lerp_(statistics_[s], options_.norm_momentum_of_pass());
  }
}

void FusedStep::work() {
  const c10::AutoGradMode with_gradient(true);
  weights_.refresh_sigma();
  weights_.draw();
  statistics_.copy_(network_.parameters().buffer_values().expand_as(statistics_));
  std::vector<at::Tensor> logits(weights_.slots());
  for_each_pass([&](std::size_t s) { logits[s] = forward(s); });
  if (!DeviceGraph::capturing()) {
    share_kept_ = std::max(share_kept_, memory_share_in_use(network_.options().device));
  }
  move_statistics();
  at::Tensor z = at::stack(logits).detach();
  z.set_requires_grad(true);
  const StepTerms terms = step_loss(z, inputs_.labels, class_weights_, objective_,
                                    scalars_.slice(0, 1), /*replayed=*/true);
  const at::Tensor slope = torch::autograd::grad({terms.objective.loss}, {z})[0];
  std::vector<std::vector<at::Tensor>> gradients(logits.size());
  for_each_pass([&](std::size_t s) {
    gradients[s] = torch::autograd::grad({logits[s]}, weights_.leaves(s),
                                         {slope[static_cast<std::int64_t>(s)]});
    logits[s] = at::Tensor();
  });
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
