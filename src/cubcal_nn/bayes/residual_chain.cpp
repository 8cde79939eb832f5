#include "cubcal_nn/bayes/residual_chain.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <tuple>

#include "cubcal_nn/bayes/parameter_store.h"

namespace cubcal {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// A layer on its way: what its convolution gave, and the moments of that.
struct LayerRun {
  NormedConv layer;
  at::Tensor x = {};
  NormMoments moments = {};

  void run(const at::Tensor& input) {
    const Conv2dOptions& of = layer.options;
    x = at::conv2d(input, layer.weight, {}, of.stride, of.padding, of.dilation, of.groups);
    moments = norm_moments(x, layer.norm, kNormEpsilon);
  }

  at::Tensor result(const at::Tensor& residual, bool relu) const {
    return norm_apply(x, moments, layer.norm, residual, relu);
  }
};

/// Of a layer: those of its weights, in the order its parameters are handed to autograd.
struct LayerGradients {
  at::Tensor weight, norm_weight, norm_bias;
};

struct BlockRun {
  std::vector<LayerRun> layers;
  std::optional<LayerRun> shortcut;

  at::Tensor base(const at::Tensor& input) const {
    return shortcut ? shortcut->result({}, /*relu=*/false) : input;
  }
  /// What the block gives, from what its convolutions gave.
  at::Tensor result(const at::Tensor& input) const {
    return layers.back().result(base(input), /*relu=*/true);
  }

  at::Tensor run(const at::Tensor& input) {
    at::Tensor x = input;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i].run(x);
      if (i + 1 < layers.size()) x = layers[i].result({}, /*relu=*/true);
    }
    if (shortcut) shortcut->run(input);
    return result(input);
  }
};

/// The images and weights before a norm: their gradients from that of what a convolution gave.
at::Tensor through_convolution(const at::Tensor& gradient, const at::Tensor& input,
                               const NormedConv& layer, LayerGradients& gradients) {
  const Conv2dOptions& of = layer.options;
  auto [to_input, to_weight, unused] = at::convolution_backward(
      gradient, input, layer.weight, at::OptionalIntArrayRef(), {of.stride, of.stride},
      {of.padding, of.padding}, {of.dilation, of.dilation}, /*transposed=*/false, {0, 0}, of.groups,
      {true, true, false});
  gradients.weight = to_weight;
  return to_input;
}

NormGradients through_norm(const at::Tensor& gradient, const LayerRun& run,
                           const NormBackOptions& options, LayerGradients& gradients) {
  NormGradients back = norm_backward(gradient, run.x, run.moments, run.layer.norm, options);
  gradients.norm_weight = back.weight;
  gradients.norm_bias = back.bias;
  return back;
}

/// The way back through a block, whose runs are given up on it; gradients: of its layers, then of
/// its shortcut.
at::Tensor through_block(const at::Tensor& gradient, BlockRun& block, const at::Tensor& input,
                         const at::Tensor& result, std::vector<LayerGradients>& gradients) {
  const std::size_t last = block.layers.size() - 1;
  NormGradients top =
      through_norm(gradient, block.layers[last], {NormGate::kResult, result, /*of_residual=*/true},
                   gradients[last]);
  at::Tensor slope = top.x;
  for (std::size_t i = last; i > 0; --i) {
    const at::Tensor before = block.layers[i - 1].result({}, /*relu=*/true);
    slope = through_convolution(slope, before, block.layers[i].layer, gradients[i]);
    block.layers[i].x = at::Tensor();
    slope = through_norm(slope, block.layers[i - 1], {NormGate::kOwnRelu}, gradients[i - 1]).x;
  }
  slope = through_convolution(slope, input, block.layers[0].layer, gradients[0]);
  if (!block.shortcut) return slope.add_(top.residual);
  LayerGradients& of_shortcut = gradients[last + 1];
  const at::Tensor aside = through_norm(top.residual, *block.shortcut, {}, of_shortcut).x;
  return slope.add_(through_convolution(aside, input, block.shortcut->layer, of_shortcut));
}

/// What is kept from the way there to the way back.
struct ChainRun : torch::CustomClassHolder {
  std::vector<BlockRun> blocks;
  at::Tensor input, output;
};

using ChainPointer = c10::intrusive_ptr<ChainRun>;

std::vector<LayerGradients> places_for(const BlockRun& block) {
  return std::vector<LayerGradients>(block.layers.size() + (block.shortcut ? 1 : 0));
}

class ResidualChain : public torch::autograd::Function<ResidualChain> {
 public:
  /// `parameters`: those of the run's layers, for autograd.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            at::TensorList /*parameters*/, const ChainPointer& run) {
    run->input = x.detach();
    at::Tensor y = run->input;
    for (BlockRun& block : run->blocks) y = block.run(y);
    run->output = y.detach();
    context->saved_data["run"] = c10::IValue::make_capsule(run);
    return y;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const c10::NoGradGuard no_grad;
    const auto held = context->saved_data["run"].toCapsule();
    auto& run = static_cast<ChainRun&>(*held);
    std::vector<at::Tensor> results = results_of(run);
    std::vector<std::vector<LayerGradients>> of_blocks(run.blocks.size());
    at::Tensor slope = gradients[0];
    for (std::size_t k = run.blocks.size(); k-- > 0;) {
      of_blocks[k] = places_for(run.blocks[k]);
      slope = through_block(slope, run.blocks[k], results[k], results[k + 1], of_blocks[k]);
      results[k + 1] = at::Tensor();
    }
    variable_list back = {slope};
    for (const auto& block : of_blocks) {
      for (const LayerGradients& layer : block) {
        back.insert(back.end(), {layer.weight, layer.norm_weight, layer.norm_bias});
      }
    }
    back.emplace_back();  // the run is no tensor
    return back;
  }

 private:
  /// The input of the chain and what each block gives, made again but for the last.
  static std::vector<at::Tensor> results_of(const ChainRun& run) {
    std::vector<at::Tensor> results = {run.input};
    for (std::size_t k = 0; k + 1 < run.blocks.size(); ++k) {
      results.push_back(run.blocks[k].result(results.back()));
    }
    results.push_back(run.output);
    return results;
  }
};

struct PooledNorm : torch::CustomClassHolder {
  at::Tensor x;
  NormPlace norm;
  NormMoments moments;

  at::Tensor result() const { return norm_apply(x, moments, norm, {}, /*relu=*/true); }
};

constexpr std::int64_t kPoolSize = 3, kPoolStride = 2, kPoolPadding = 1;

class NormReluPool : public torch::autograd::Function<NormReluPool> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& /*weight*/, const at::Tensor& /*bias*/,
                            const c10::intrusive_ptr<PooledNorm>& run) {
    run->x = x.detach();
    run->moments = norm_moments(x, run->norm, kNormEpsilon);
    context->saved_data["run"] = c10::IValue::make_capsule(run);
    return at::max_pool2d(run->result(), kPoolSize, kPoolStride, kPoolPadding);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const c10::NoGradGuard no_grad;
    const auto held = context->saved_data["run"].toCapsule();
    const auto& run = static_cast<const PooledNorm&>(*held);
    const at::Tensor y = run.result();
    const auto [pooled, places] =
        at::max_pool2d_with_indices(y, kPoolSize, kPoolStride, kPoolPadding);
    const at::Tensor slope =
        at::max_pool2d_with_indices_backward(gradients[0], y, kPoolSize, kPoolStride, kPoolPadding,
                                             /*dilation=*/1, /*ceil_mode=*/false, places);
    const NormGradients back =
        norm_backward(slope, run.x, run.moments, run.norm, {NormGate::kOwnRelu});
    return {back.x, back.weight, back.bias, {}};
  }
};

void note_parameters(const NormedConv& layer, std::vector<at::Tensor>& parameters) {
  parameters.insert(parameters.end(), {layer.weight, layer.norm.weight, layer.norm.bias});
}

}  // namespace

at::Tensor residual_chain(const at::Tensor& x, std::vector<ResidualLayers> blocks) {
  auto run = c10::make_intrusive<ChainRun>();
  std::vector<at::Tensor> parameters;
  for (ResidualLayers& block : blocks) {
    BlockRun& of_block = run->blocks.emplace_back();
    for (NormedConv& layer : block.layers) {
      note_parameters(layer, parameters);
      of_block.layers.push_back({std::move(layer)});
    }
    if (!block.shortcut) continue;
    note_parameters(*block.shortcut, parameters);
    of_block.shortcut = LayerRun{std::move(*block.shortcut)};
  }
  return ResidualChain::apply(x, at::TensorList(parameters), run);
}

at::Tensor norm_relu_pool(const at::Tensor& x, const NormPlace& norm) {
  auto run = c10::make_intrusive<PooledNorm>();
  run->norm = norm;
  return NormReluPool::apply(x, norm.weight, norm.bias, run);
}

}  // namespace cubcal
