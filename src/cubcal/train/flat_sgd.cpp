#include "cubcal/train/flat_sgd.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "cubcal/bayes/fused_kernels.h"
#include "cubcal/core/check.h"

namespace cubcal {

namespace {

/// Norms have one dimension; so have biases, which like them set a level and not a slope.
bool is_norm_or_bias(const ParameterEntry& entry) { return entry.shape.size() < 2; }

at::Tensor decay_per_element(const ParameterStore& store, const at::Tensor& flat,
                             ParameterKind kind, double weight_decay) {
  at::Tensor decay = at::full_like(flat, weight_decay);
  for (std::size_t i = 0; i < store.parameters().size(); ++i) {
    const ParameterEntry& entry = store.parameters()[i];
    if (entry.kind == kind && is_norm_or_bias(entry)) store.view(decay, i).zero_();
  }
  return decay;
}

}  // namespace

void check_sgd_options(const SgdOptions& options) {
  check_in_closed("momentum", options.momentum, 0, 1);
  check_at_least("weight_decay", options.weight_decay, 0);
  check_at_least("clip_norm", options.clip_norm, 0);
  if (options.nesterov && options.momentum == 0) {
    throw ArgumentError("nesterov needs a momentum above 0");
  }
}

FlatSgd::FlatSgd(ParameterStore& store, const SgdOptions& options) : options_(options) {
  check_sgd_options(options);
  store.enable_gradients();
  const c10::NoGradGuard no_grad;
  const auto group = [&](const at::Tensor& values, const at::Tensor& gradient, ParameterKind kind,
                         bool decays) {
    Group made;
    made.values = values;
    made.gradient = gradient;
    made.momentum = at::zeros_like(values);
    made.weight_decay = decays ? options.weight_decay : 0;
    if (made.weight_decay > 0 && !options.decay_norms_and_biases) {
      made.decay = decay_per_element(store, values, kind, options.weight_decay);
    }
    return made;
  };
  mu_ = group(store.mu(), store.mu_gradient(), ParameterKind::kVariational,
              options.decay_scope != DecayScope::kPoint);
  rho_ = group(store.rho(), store.rho_gradient(), ParameterKind::kVariational,
               options.decay_scope == DecayScope::kAll);
  point_ = group(store.point(), store.point_gradient(), ParameterKind::kPoint, true);
}

void FlatSgd::step(double learning_rate) {
  const c10::NoGradGuard no_grad;
  if (options_.clip_norm > 0) {
    const at::Tensor factor = clip_factor();
    for (Group* group : {&mu_, &rho_, &point_}) group->gradient.mul_(factor);
  }
  for (Group* group : {&mu_, &rho_, &point_}) step_group(*group, learning_rate);
}

void FlatSgd::step_on_device(const at::Tensor& learning_rate, const at::Tensor& loss) {
  const c10::NoGradGuard no_grad;
  const at::Tensor factor =
      options_.clip_norm > 0 ? clip_factor().view({1}) : at::ones_like(learning_rate);
  const at::Tensor go = loss.isfinite().to(at::kFloat).view({1});
  const at::Tensor controls = at::cat({learning_rate, factor, go});
  for (Group* group : {&mu_, &rho_, &point_}) {
    fused_sgd(group->values, group->gradient, group->momentum,
              {options_.momentum, options_.nesterov, group->weight_decay, group->decay}, controls);
  }
}

at::Tensor FlatSgd::clip_factor() const {
  at::Tensor squares;
  for (const Group* group : {&mu_, &rho_, &point_}) {
    const at::Tensor square = at::dot(group->gradient, group->gradient);
    squares = squares.defined() ? squares + square : square;
  }
  return (options_.clip_norm / (squares.sqrt() + 1e-6)).clamp_max(1.0);
}

void FlatSgd::step_group(Group& group, double learning_rate) const {
  if (group.values.numel() == 0) return;
  if (group.decay.defined()) {
    group.gradient.addcmul_(group.decay, group.values);
  } else if (group.weight_decay > 0) {
    group.gradient.add_(group.values, group.weight_decay);
  }
  group.momentum.mul_(options_.momentum).add_(group.gradient);
  if (options_.nesterov) {
    group.gradient.add_(group.momentum, options_.momentum);
    group.values.add_(group.gradient, -learning_rate);
  } else {
    group.values.add_(group.momentum, -learning_rate);
  }
}

NamedTensors FlatSgd::state() const {
  return {{"momentum.mu", mu_.momentum},
          {"momentum.rho", rho_.momentum},
          {"momentum.point", point_.momentum}};
}

}  // namespace cubcal
