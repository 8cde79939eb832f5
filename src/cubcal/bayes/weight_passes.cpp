#include "cubcal/bayes/weight_passes.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include "cubcal/bayes/sigma.h"
#include "cubcal/core/check.h"

namespace cubcal {

WeightPasses::WeightPasses(ParameterStore& store, std::size_t slots, Use use)
    : store_(store), use_(use), slots_(slots) {
  check_at_least("the number of passes", static_cast<double>(slots), 1);
  const c10::NoGradGuard no_grad;
  if (use == Use::kTraining) {
    store.enable_gradients();
    gradient_ = at::zeros_like(store.mu());
  }
  for (Slot& slot : slots_) {
    slot.flat = at::empty_like(store.mu());
    if (use == Use::kTraining) slot.noise = at::empty_like(store.mu());
    make_views(slot);
  }
}

void WeightPasses::make_views(Slot& slot) {
  for (std::size_t i = 0; i < store_.parameters().size(); ++i) {
    if (store_.parameters()[i].kind == ParameterKind::kPoint) {
      slot.views.push_back(store_.mean_weights()[i]);
      continue;
    }
    at::Tensor weight = store_.view(slot.flat, i).detach();
    if (use_ == Use::kTraining) {
      weight.set_requires_grad(true);
      weight.mutable_grad() = store_.view(gradient_, i);
    }
    slot.views.push_back(std::move(weight));
  }
}

void WeightPasses::refresh_sigma() {
  const c10::NoGradGuard no_grad;
  sigma_ = sigma_from_rho(store_.rho());
}

void WeightPasses::draw(const NoiseKey& key) {
  refresh_sigma();
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    NoiseKey pass_key = key;
    pass_key.pass += static_cast<std::uint32_t>(s);
    draw_slot(s, pass_key);
  }
}

void WeightPasses::draw(const std::vector<at::Tensor>& noise) {
  check_same_size("the noise", noise.size(), "the set of passes", slots_.size());
  refresh_sigma();
  const c10::NoGradGuard no_grad;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (noise[s].sizes() != store_.mu().sizes()) {
      throw ArgumentError("the noise of pass " + std::to_string(s) + " must be flat with " +
                          std::to_string(store_.variational_size()) + " values");
    }
    Slot& slot = slots_[s];
    at::Tensor& target = use_ == Use::kTraining ? slot.noise : slot.flat;
    target.copy_(noise[s]);
    compose(slot);
  }
}

void WeightPasses::draw_slot(std::size_t slot_index, const NoiseKey& key) {
  if (!sigma_.defined()) refresh_sigma();
  const c10::NoGradGuard no_grad;
  Slot& slot = slots_[slot_index];
  slot.key = key;
  normal_noise(use_ == Use::kTraining ? slot.noise : slot.flat, key);
  compose(slot);
}

void WeightPasses::compose(Slot& slot) {
  const at::Tensor& noise = use_ == Use::kTraining ? slot.noise : slot.flat;
  at::addcmul_out(slot.flat, store_.mu(), sigma_, noise);
}

void WeightPasses::backward(std::vector<at::Tensor>& logits, const at::Tensor& logits_gradient) {
  if (use_ != Use::kTraining) {
    throw ArgumentError("these passes were made for prediction and keep no gradient");
  }
  check_same_size("the list of logits", logits.size(), "the set of passes", slots_.size());
  check_same_size("the gradient of the logits", static_cast<std::size_t>(logits_gradient.size(0)),
                  "the set of passes", slots_.size());
  at::Tensor rho_sum;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    torch::autograd::backward({logits[s]}, {logits_gradient[static_cast<std::int64_t>(s)]});
    logits[s] = at::Tensor();
    if (store_.variational_size() == 0) continue;
    const c10::NoGradGuard no_grad;
    store_.mu_gradient().add_(gradient_);
    if (rho_sum.defined()) {
      rho_sum.addcmul_(gradient_, slots_[s].noise);
    } else {
      rho_sum = gradient_ * slots_[s].noise;
    }
    gradient_.zero_();
  }
  if (!rho_sum.defined()) return;
  const c10::NoGradGuard no_grad;
  store_.rho_gradient().addcmul_(rho_sum, store_.rho().sigmoid());
}

}  // namespace cubcal
