#include "cubcal_nn/bayes/weight_passes.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include "cubcal/core/check.h"
#include "cubcal_nn/kernels/weight_kernels.h"

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
  if (!sigma_.defined()) sigma_ = at::empty_like(store_.rho());
  if (use_ == Use::kTraining && !slope_.defined()) slope_ = at::empty_like(store_.rho());
  sigma_and_slope(store_.rho(), sigma_, slope_);
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
    slots_[s].given_noise = noise[s].to(store_.mu().options()).clone();
    at::addcmul_out(slots_[s].flat, store_.mu(), sigma_, slots_[s].given_noise);
  }
}

void WeightPasses::draw_slot(std::size_t slot_index, const NoiseKey& key) {
  if (!sigma_.defined()) refresh_sigma();
  const c10::NoGradGuard no_grad;
  Slot& slot = slots_[slot_index];
  slot.key = key;
  slot.given_noise = at::Tensor();
  draw_weights(slot.flat, store_.mu(), sigma_, key);
}

void WeightPasses::backward(std::vector<at::Tensor>& logits, const at::Tensor& logits_gradient) {
  if (use_ != Use::kTraining) {
    throw ArgumentError("these passes were made for prediction and keep no gradient");
  }
  check_same_size("the list of logits", logits.size(), "the set of passes", slots_.size());
  check_same_size("the gradient of the logits", static_cast<std::size_t>(logits_gradient.size(0)),
                  "the set of passes", slots_.size());
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    torch::autograd::backward({logits[s]}, {logits_gradient[static_cast<std::int64_t>(s)]});
    logits[s] = at::Tensor();
    if (store_.variational_size() == 0) continue;
    fold(slots_[s]);
  }
}

void WeightPasses::fold(const Slot& slot) {
  const c10::NoGradGuard no_grad;
  if (slot.given_noise.defined()) {
    store_.mu_gradient().add_(gradient_);
    store_.rho_gradient().addcmul_(gradient_ * slot.given_noise, slope_);
  } else {
    fold_gradients({gradient_}, {slot.key}, slope_, store_.mu_gradient(), store_.rho_gradient());
  }
  gradient_.zero_();
}

}  // namespace cubcal
