#include "cubcal_nn/bayes/fused_weights.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "cubcal/core/check.h"
#include "cubcal_nn/bayes/store_layout.h"
#include "cubcal_nn/kernels/device_graph.h"
#include "cubcal_nn/kernels/sigma.h"

namespace cubcal {

namespace {

/// A gradient as the kernels read it: of the weight's type, channels last where it has four
/// dimensions.
at::Tensor readable(const at::Tensor& gradient, const at::Tensor& leaf) {
  return gradient.to(leaf.scalar_type())
      .contiguous(leaf.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous);
}

/// A segment of one draw with the shape of its parameter, channels last.
at::Tensor view_of_draw(const at::Tensor& drawn, const FusedSegment& segment,
                        const std::vector<std::int64_t>& shape) {
  const at::Tensor piece = drawn.narrow(0, segment.place, segment.size);
  if (shape.size() != 4) return piece.view(shape);
  return piece.view({shape[0], shape[2], shape[3], shape[1]}).permute({0, 3, 1, 2});
}

/// A segment of all draws: [draws, O, ...], convolutions as [draws, O, kernel, kernel, C].
at::Tensor view_of_all(const at::Tensor& drawn, const FusedSegment& segment,
                       std::vector<std::int64_t> shape) {
  if (shape.size() == 4) shape = {shape[0], shape[2], shape[3], shape[1]};
  shape.insert(shape.begin(), drawn.size(0));
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size() - 1; d > 1; --d) strides[d - 1] = strides[d] * shape[d];
  strides[0] = drawn.size(1);
  return drawn.narrow(1, segment.place, segment.size).as_strided(shape, strides);
}

void put(const std::vector<std::int64_t>& values, at::Tensor& addresses) {
  if (!values.empty()) addresses.copy_(at::tensor(values, at::kLong).view_as(addresses));
}

}  // namespace

FusedWeights::FusedWeights(ParameterStore& store, const Options& options)
    : store_(store),
      options_(options),
      folded_norms_(store),
      gaussian_(make_block(ParameterKind::kVariational, options.slots)),
      point_(make_block(ParameterKind::kPoint, 1)),
      slots_(options.slots) {
  check_at_least("the number of passes", static_cast<double>(options.slots), 1);
  if (store.dtype() != at::kFloat || !has_fused_kernels(store.device())) {
    throw ArgumentError("fused passes need float32 parameters on a device with fused kernels");
  }
  const c10::NoGradGuard no_grad;
  const auto slots = static_cast<std::int64_t>(options.slots);
  const auto words = at::TensorOptions().device(store.device()).dtype(at::kInt);
  noise_words_ = at::zeros({slots, 4}, words);
  dropout_words_ = at::zeros({slots, static_cast<std::int64_t>(options.dropout_layers), 4}, words);
  std::vector<bool> in_layout(store.parameters().size(), false);
  for (const Block* block : {&gaussian_, &point_}) {
    for (const std::size_t parameter : block->layout.parameters) in_layout[parameter] = true;
  }
  for (std::size_t i = 0; i < in_layout.size(); ++i) {
    if (!in_layout[i]) norms_.push_back(i);
  }
  make_views();
  if (!options.folded) return;
  put_folded_biases();
  refresh_norms();
}

FusedWeights::Block FusedWeights::make_block(ParameterKind kind, std::size_t copies) const {
  Block block{fused_layout_of(store_, kind), {}, {}, {}, {}};
  block.norm_rows = folded_norms_.rows_of(block.layout);
  block.drawn = at::empty({static_cast<std::int64_t>(copies), block.layout.draw_size},
                          at::TensorOptions().device(store_.device()).dtype(options_.dtype));
  return block;
}

void FusedWeights::put_views(const Block& block, std::size_t slot) {
  const auto copy = static_cast<std::int64_t>(block.drawn.size(0) == 1 ? 0 : slot);
  for (std::size_t i = 0; i < block.layout.segments.size(); ++i) {
    const std::size_t parameter = block.layout.parameters[i];
    slots_[slot].weights[parameter] = view_of_draw(block.drawn[copy], block.layout.segments[i],
                                                   store_.parameters()[parameter].shape)
                                          .detach();
  }
}

void FusedWeights::make_views() {
  all_ = store_.mean_weights();
  for (std::size_t i = 0; i < gaussian_.layout.segments.size(); ++i) {
    const std::size_t parameter = gaussian_.layout.parameters[i];
    all_[parameter] = view_of_all(gaussian_.drawn, gaussian_.layout.segments[i],
                                  store_.parameters()[parameter].shape);
  }
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    slots_[s].weights = store_.mean_weights();
    put_views(gaussian_, s);
    put_views(point_, s);
  }
}

void FusedWeights::need_gradients() {
  store_.enable_gradients();
  make_views();
  for (Slot& slot : slots_) {
    slot.leaves.clear();
    for (const Block* block : {&gaussian_, &point_}) {
      for (const std::size_t parameter : block->layout.parameters) {
        slot.leaves.push_back(slot.weights[parameter].set_requires_grad(true));
      }
    }
    // Leaves of the pass alone: what autograd notes of the store's own belongs to another stream
    // than that of a pass which runs beside others.
    for (const std::size_t parameter : norms_) {
      slot.weights[parameter] = slot.weights[parameter].detach();
      slot.leaves.push_back(slot.weights[parameter].set_requires_grad(true));
    }
  }
  const auto on_store = at::TensorOptions().device(store_.device());
  const auto addresses = [&](std::size_t count) {
    return at::zeros({static_cast<std::int64_t>(slots_.size()), static_cast<std::int64_t>(count)},
                     on_store.dtype(at::kLong));
  };
  gaussian_.addresses = addresses(gaussian_.layout.segments.size());
  point_.addresses = addresses(point_.layout.segments.size());
  norm_addresses_ = addresses(norms_.size());
  std::vector<std::int64_t> places;
  for (const std::size_t parameter : norms_) {
    places.push_back(store_.parameters()[parameter].offset);
    places.push_back(store_.parameters()[parameter].size);
  }
  norm_places_ = at::tensor(places, at::kLong).view({-1, 2}).to(store_.device());
  kl_parts_ = at::zeros({static_cast<std::int64_t>(gaussian_.layout.tiles.size())},
                        on_store.dtype(at::kDouble));
}

void FusedWeights::set_key(const NoiseKey& key) {
  std::vector<std::int32_t> noise;
  std::vector<std::int32_t> dropout;
  const auto put = [](std::vector<std::int32_t>& into, const NoiseWords& values) {
    for (const std::uint32_t value : values) into.push_back(static_cast<std::int32_t>(value));
  };
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    NoiseKey pass = key;
    pass.pass += static_cast<std::uint32_t>(s);
    put(noise, normal_words(pass));
    for (std::uint32_t layer = 0; layer < options_.dropout_layers; ++layer) {
      put(dropout, dropout_words(pass, layer));
    }
  }
  noise_words_.copy_(at::tensor(noise, at::kInt).view_as(noise_words_));
  if (dropout.empty()) return;
  dropout_words_.copy_(at::tensor(dropout, at::kInt).view_as(dropout_words_));
}

void FusedWeights::put_folded_biases() {
  for (std::size_t f = 0; f < store_.norm_folds().size(); ++f) {
    const NormFold& fold = store_.norm_folds()[f];
    if (fold.bias) continue;  // the drawn bias takes the shift
    all_[fold.norm_bias] = folded_norms_.shift(f);
    for (Slot& slot : slots_) slot.weights[fold.norm_bias] = all_[fold.norm_bias];
  }
}

void FusedWeights::refresh_norms() {
  folded_norms_.refresh();
  for (Block* block : {&gaussian_, &point_}) folded_norms_.put(block->norm_rows, block->affine);
}

void FusedWeights::refresh_sigma() {
  const c10::NoGradGuard no_grad;
  if (!sigma_.defined()) sigma_ = at::empty_like(store_.rho());
  sigma_from_rho(store_.rho(), sigma_);
}

void FusedWeights::draw() {
  const c10::NoGradGuard no_grad;
  if (!sigma_.defined()) refresh_sigma();
  fused_draw(gaussian_.layout, store_.mu(), sigma_, noise_words_, gaussian_.affine,
             gaussian_.drawn);
  fused_draw(point_.layout, store_.point(), {}, {}, point_.affine, point_.drawn);
}

FusedWeights::Part FusedWeights::part(std::size_t first, std::size_t count) const {
  check_at_least("the slots of a part", static_cast<double>(count), 1);
  check_in_closed("the end of a part", static_cast<double>(first + count), 1,
                  static_cast<double>(slots_.size()));
  Part part{first, count, all_};
  for (const std::size_t parameter : gaussian_.layout.parameters) {
    part.weights[parameter] = all_[parameter].narrow(0, static_cast<std::int64_t>(first),
                                                     static_cast<std::int64_t>(count));
  }
  return part;
}

ForwardContext FusedWeights::context(std::size_t slot) const {
  ForwardContext context(slots_[slot].weights);
  context.folded = options_.folded;
  if (options_.dropout_layers > 0) {
    context.dropout_words = dropout_words_[static_cast<std::int64_t>(slot)];
  }
  return context;
}

ForwardContext FusedWeights::context(const Part& part, std::int64_t images) const {
  if (part.count == 1) return context(part.first);
  ForwardContext context(part.weights);
  context.folded = options_.folded;
  context.draws = static_cast<std::int64_t>(part.count);
  context.images = images;
  return context;
}

void FusedWeights::make_kl_weight(const KlOptions& kl, const KlScale& scale) {
  if (kl_weight_.defined()) return;
  std::vector<float> weights;
  for (const FusedSegment& segment : gaussian_.layout.segments) {
    weights.push_back(static_cast<float>(kl_element_weight(kl, scale, segment.size)));
  }
  kl_weight_ = at::tensor(weights, at::kFloat).to(store_.device());
}

at::Tensor FusedWeights::fold(const std::vector<std::vector<at::Tensor>>& gradients,
                              const KlOptions& kl, const KlScale& scale) {
  const c10::NoGradGuard no_grad;
  make_kl_weight(kl, scale);
  noted_ = {};
  const std::size_t gaussian_end = gaussian_.layout.segments.size();
  const std::size_t point_end = gaussian_end + point_.layout.segments.size();
  std::vector<at::Tensor> kept;  // alive until the kernels below have been queued
  for (std::size_t s = 0; s < gradients.size(); ++s) {
    check_same_size("the gradients of a pass", gradients[s].size(), "its weights",
                    slots_[s].leaves.size());
    for (std::size_t i = 0; i < gradients[s].size(); ++i) {
      kept.push_back(readable(gradients[s][i], slots_[s].leaves[i]));
      std::vector<std::int64_t>& noted = i < gaussian_end ? noted_.gaussian
                                         : i < point_end  ? noted_.point
                                                          : noted_.norm;
      noted.push_back(reinterpret_cast<std::int64_t>(kept.back().data_ptr()));
    }
  }
  if (!DeviceGraph::capturing()) upload(noted_);
  fused_fold(gaussian_.layout, gaussian_.addresses, options_.dtype, noise_words_, store_.mu(),
             sigma_, store_.prior_mean(), {kl.prior_sigma, kl_weight_}, store_.mu_gradient(),
             store_.rho_gradient(), kl_parts_);
  fused_fold(point_.layout, point_.addresses, options_.dtype, {}, store_.point(), {}, {}, {},
             store_.point_gradient(), {}, {});
  fused_sum(norm_addresses_, norm_places_, store_.point_gradient());
  return kl_parts_.sum();
}

void FusedWeights::upload(const Addresses& addresses) {
  const c10::NoGradGuard no_grad;
  put(addresses.gaussian, gaussian_.addresses);
  put(addresses.point, point_.addresses);
  put(addresses.norm, norm_addresses_);
}

}  // namespace cubcal
