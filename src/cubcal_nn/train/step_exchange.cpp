#include "cubcal_nn/train/step_exchange.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>

namespace cubcal {

namespace {

/// Few and large, so that their number costs nothing, yet several, so that one is added up while
/// the next is on its way.
constexpr std::int64_t kBucketValues = 1 << 22;

void append_buckets(const at::Tensor& flat, std::vector<at::Tensor>& buckets) {
  for (std::int64_t first = 0; first < flat.numel(); first += kBucketValues) {
    buckets.push_back(flat.narrow(0, first, std::min(kBucketValues, flat.numel() - first)));
  }
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

void StepExchange::finish(ParameterStore& store, const Batch& batch) const {
  if (!is_shared(batch)) return;
  const c10::NoGradGuard no_grad;
  std::vector<at::Tensor> buckets;
  for (const at::Tensor& flat :
       {store.mu_gradient(), store.rho_gradient(), store.point_gradient()}) {
    append_buckets(flat, buckets);
  }
  if (over_passes()) {
    const auto later = static_cast<double>(all_passes_ - passes_.first - passes_.count);
    store.buffer_values().mul_(std::pow(1 - norm_momentum_, later));
    append_buckets(store.buffer_values(), buckets);
  }
  split_.group->sum(buckets);
}

}  // namespace cubcal
