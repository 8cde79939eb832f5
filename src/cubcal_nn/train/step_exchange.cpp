#include "cubcal_nn/train/step_exchange.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>

namespace cubcal {

namespace {

std::vector<at::Tensor> gradients_of(const ParameterStore& store, const GradientPiece& piece) {
  const auto part = [&](const at::Tensor& flat) {
    return flat.narrow(0, piece.first, piece.count);
  };
  if (piece.kind == ParameterKind::kPoint) return {part(store.point_gradient())};
  return {part(store.mu_gradient()), part(store.rho_gradient())};
}

/// Those of this rank in a step of so many passes.
Share passes_of(const RankSplit& split, std::int64_t passes) {
  if (split.over_in(passes) == SplitOver::kImages) return {0, passes};
  return share_of(passes, split.rank(), split.ranks());
}

}  // namespace

StepExchange::StepExchange(const RankSplit& split, std::int64_t passes, double norm_momentum)
    : split_(split),
      all_passes_(passes),
      norm_momentum_(norm_momentum),
      passes_(passes_of(split, passes)) {}

AddUp StepExchange::add_up(const Batch& batch) const {
  if (!is_part(batch)) return {};
  return [group = split_.group](const at::Tensor& sums) { group->sum({sums}); };
}

void StepExchange::begin(ParameterStore& store) const {
  // Each pass moves the running statistics r to (1 - m) r + m b, so that after all of them they are
  // a sum in which every rank's passes have their place: only the first rank's begin at r.
  if (over_passes() && !split_.is_first()) store.buffer_values().zero_();
}

at::Tensor StepExchange::whole_logits(const at::Tensor& logits, const Batch& batch) const {
  if (!is_shared(batch)) return logits;
  const at::Tensor whole =
      at::zeros({all_passes_, batch.labels.size(0), logits.size(2)}, logits.options());
  own_part(whole, batch).copy_(logits);
  split_.group->sum({whole});  // to zeros of all others: exact
  return whole;
}

at::Tensor StepExchange::own_part(const at::Tensor& gradient, const Batch& batch) const {
  return gradient.narrow(0, passes_.first, passes_.count)
      .narrow(1, batch.first, batch.images.size(0));
}

GradientWatch::Done StepExchange::start(const ParameterStore& store, const Batch& batch) {
  under_way_.clear();
  if (!is_shared(batch)) return {};
  return [this, &store](const GradientPiece& piece) {
    under_way_.push_back(split_.group->start_sum(gradients_of(store, piece)));
  };
}

void StepExchange::finish(ParameterStore& store) {
  if (over_passes()) {
    const c10::NoGradGuard no_grad;
    const auto later = static_cast<double>(all_passes_ - passes_.first - passes_.count);
    store.buffer_values().mul_(std::pow(1 - norm_momentum_, later));
    split_.group->sum({store.buffer_values()});
  }
  for (const std::unique_ptr<RankWork>& work : under_way_) work->wait();
  under_way_.clear();
}

}  // namespace cubcal
