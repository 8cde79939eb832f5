#include "cubcal_nn/bayes/folded_norms.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace cubcal {

namespace {

void append_range(std::vector<std::int64_t>& places, std::int64_t first, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) places.push_back(first + i);
}

at::Tensor on_device(const std::vector<std::int64_t>& values, c10::Device device) {
  return at::tensor(values, at::kLong).to(device);
}

}  // namespace

FoldedNorms::FoldedNorms(const ParameterStore& store) : store_(store), first_{0} {
  std::vector<std::int64_t> gamma;
  std::vector<std::int64_t> beta;
  std::vector<std::int64_t> mean;
  std::vector<std::int64_t> variance;
  for (const NormFold& fold : store.norm_folds()) {
    const std::int64_t channels = store.parameters()[fold.norm_weight].size;
    append_range(gamma, store.parameters()[fold.norm_weight].offset, channels);
    append_range(beta, store.parameters()[fold.norm_bias].offset, channels);
    append_range(mean, store.buffers()[fold.running_mean].offset, channels);
    append_range(variance, store.buffers()[fold.running_var].offset, channels);
    first_.push_back(first_.back() + channels);
  }
  gamma_ = on_device(gamma, store.device());
  beta_ = on_device(beta, store.device());
  mean_ = on_device(mean, store.device());
  variance_ = on_device(variance, store.device());
  const auto options = at::TensorOptions().dtype(at::kFloat).device(store.device());
  scale_ = at::ones({first_.back() + 1}, options);
  shift_ = at::zeros({first_.back() + 1}, options);
}

void FoldedNorms::refresh() {
  const c10::NoGradGuard no_grad;
  const at::Tensor variance = store_.buffer_values().index_select(0, variance_);
  const at::Tensor mean = store_.buffer_values().index_select(0, mean_);
  const at::Tensor scale =
      store_.point().index_select(0, gamma_) / (variance + kNormEpsilon).sqrt();
  scale_.narrow(0, 0, first_.back()).copy_(scale);
  shift_.narrow(0, 0, first_.back()).copy_(store_.point().index_select(0, beta_) - scale * mean);
}

at::Tensor FoldedNorms::shift(std::size_t index) const {
  return shift_.narrow(0, first_[index], first_[index + 1] - first_[index]);
}

FoldedNorms::Rows FoldedNorms::rows_of(const FusedLayout& layout) const {
  const std::int64_t none = first_.back();
  const auto count = static_cast<std::size_t>(layout.affine_rows);
  std::vector<std::int64_t> scale(count, none);
  std::vector<std::int64_t> shift(count, none);
  for (std::size_t f = 0; f < store_.norm_folds().size(); ++f) {
    const NormFold& fold = store_.norm_folds()[f];
    for (std::size_t s = 0; s < layout.segments.size(); ++s) {
      const FusedSegment& segment = layout.segments[s];
      const bool is_bias = fold.bias && layout.parameters[s] == *fold.bias;
      if (segment.affine < 0 || (!is_bias && layout.parameters[s] != fold.weight)) continue;
      for (std::int64_t row = 0; row < segment.size / segment.row; ++row) {
        const auto place = static_cast<std::size_t>(segment.affine + row);
        scale[place] = first_[f] + row;
        if (is_bias) shift[place] = first_[f] + row;
      }
    }
  }
  return {on_device(scale, store_.device()), on_device(shift, store_.device())};
}

void FoldedNorms::put(const Rows& rows, NormAffine& affine) const {
  const c10::NoGradGuard no_grad;
  if (!affine.scale.defined())
    affine = {at::empty_like(rows.scale, at::kFloat), at::empty_like(rows.shift, at::kFloat)};
  at::index_select_out(affine.scale, scale_, 0, rows.scale);
  at::index_select_out(affine.shift, shift_, 0, rows.shift);
}

}  // namespace cubcal
