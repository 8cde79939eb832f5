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
  backward(logits, logits_gradient, {});
}

void WeightPasses::watch(std::vector<GradientPiece> pieces) {
  watch_.emplace(store_, slots_.back().views, std::move(pieces));
}

void WeightPasses::backward(std::vector<at::Tensor>& logits, const at::Tensor& logits_gradient,
                            const GradientWatch::Done& done) {
  if (use_ != Use::kTraining) {
    throw ArgumentError("these passes were made for prediction and keep no gradient");
  }
  check_same_size("the list of logits", logits.size(), "the set of passes", slots_.size());
  check_same_size("the gradient of the logits", static_cast<std::size_t>(logits_gradient.size(0)),
                  "the set of passes", slots_.size());
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    const auto way_back = [&] {
      torch::autograd::backward({logits[s]}, {logits_gradient[static_cast<std::int64_t>(s)]});
    };
    if (done && s + 1 == slots_.size()) {
      watch_.value().run(way_back, [&](const GradientPiece& piece) {
        fold(slots_[s], piece);
        done(piece);
      });
    } else {
      way_back();
      fold(slots_[s], all_gaussians());
    }
    logits[s] = at::Tensor();
  }
}

GradientPiece WeightPasses::all_gaussians() const {
  return {ParameterKind::kVariational, 0, store_.variational_size()};
}

void WeightPasses::fold(const Slot& slot, const GradientPiece& piece) {
  if (piece.kind == ParameterKind::kPoint || piece.count == 0) return;
  const c10::NoGradGuard no_grad;
  const auto part = [&](const at::Tensor& flat) {
    return flat.narrow(0, piece.first, piece.count);
  };
  const at::Tensor gradient = part(gradient_);
  if (slot.given_noise.defined()) {
    part(store_.mu_gradient()).add_(gradient);
    part(store_.rho_gradient()).addcmul_(gradient * part(slot.given_noise), part(slope_));
  } else {
    fold_gradients({gradient}, {slot.key}, part(slope_), part(store_.mu_gradient()),
                   part(store_.rho_gradient()), piece.first);
  }
  gradient.zero_();
}

}  // namespace cubcal
