#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cubcal_nn/bayes/forward_context.h"
#include "cubcal_nn/kernels/draws_conv.h"
#include "cubcal_nn/kernels/fast_conv_cpu.h"
#include "cubcal_nn/kernels/norm_kernels.h"

/// Layers know the place of their weights, not the weights: the context of a pass brings those. One
/// class therefore serves the deterministic, the variational and the dropout network.
namespace cubcal {

struct Conv2dOptions {
  std::int64_t in_channels = 1;
  std::int64_t out_channels = 1;
  std::int64_t kernel = 3;  ///< square
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  bool before_relu = true;  ///< Kaiming gain: sqrt(2), fan out, before a ReLU; 1, fan in, if linear
};

class Conv2d {
 public:
  Conv2d(const Conv2dOptions& options, std::size_t weight, std::optional<std::size_t> bias);
  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const;
  /// The convolution of a single draw without its bias.
  at::Tensor products(const at::Tensor& x, const ForwardContext& context) const;
  /// The convolution with what follows it, in one where a GPU can.
  at::Tensor with_finish(const at::Tensor& x, const ConvFinish& finish,
                         const ForwardContext& context) const;
  const std::optional<std::size_t>& bias() const { return bias_; }
  const Conv2dOptions& options() const { return options_; }
  const at::Tensor& weight(const ForwardContext& context) const;
  /// Whether it goes by fast_conv_cpu.h, and then with what follows it.
  bool by_panels(const at::Tensor& x, const ForwardContext& context) const;
  at::Tensor panels(const at::Tensor& x, const FastConvFinish& finish,
                    const ForwardContext& context) const;

 private:
  Conv2dOptions options_;
  std::size_t weight_;
  std::optional<std::size_t> bias_;
};

class Linear {
 public:
  Linear(std::size_t weight, std::size_t bias);
  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const;
  /// The same in float32 whatever the weights are: for the layer that gives the logits, which would
  /// lose digits in bfloat16.
  at::Tensor in_float(const at::Tensor& x, const ForwardContext& context) const;

 private:
  std::size_t weight_;
  std::size_t bias_;
};

/// Always deterministic; momentum of the context, epsilon 1e-5.
class BatchNorm2d {
 public:
  BatchNorm2d(const ParameterStore& store, std::size_t weight, std::size_t bias,
              std::size_t running_mean, std::size_t running_var);
  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const;
  /// In prediction: what it does to each channel.
  FoldedNorm at_running_statistics(const ForwardContext& context) const;
  /// In a fused training step.
  NormPlace place(const ForwardContext& context) const;

 private:
  const ParameterStore* store_;
  std::size_t weight_, bias_, running_mean_, running_var_;
};

/// A convolution without bias and the batch norm after it, in one pass of a fused training step.
struct NormedConv {
  at::Tensor weight;
  Conv2dOptions options;
  NormPlace norm;
};

/// A convolution and the batch norm after it. Where the context has norms folded into the weights
/// it is one convolution, and its bias, a residual and ReLU are added in one pass.
class ConvNorm {
 public:
  ConvNorm(const Conv2d& conv, const BatchNorm2d& norm, std::size_t norm_bias);

  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const;
  at::Tensor relu(const at::Tensor& x, const ForwardContext& context) const;
  /// relu(this(x) + residual)
  at::Tensor add_relu(const at::Tensor& x, const at::Tensor& residual,
                      const ForwardContext& context) const;
  /// The convolution alone, without a bias.
  at::Tensor products(const at::Tensor& x, const ForwardContext& context) const {
    return conv_.products(x, context);
  }
  NormedConv in_step(const ForwardContext& context) const;

 private:
  Conv2d conv_;
  BatchNorm2d norm_;
  std::size_t norm_bias_;

  at::Tensor folded(const at::Tensor& x, const at::Tensor& residual, bool relu,
                    const ForwardContext& context) const;
  bool in_one(const at::Tensor& x, const ForwardContext& context) const;
  at::Tensor one(const at::Tensor& x, const at::Tensor& residual, bool relu,
                 const ForwardContext& context) const;
};

/// The largest value of each window, for every draw alike.
at::Tensor max_pool(const at::Tensor& x, const PatchOptions& window, const ForwardContext& context);

/// Over the last dimension; always deterministic. Epsilon 1e-6, that of ConvNeXt and of vision
/// transformers.
class LayerNorm {
 public:
  LayerNorm(std::size_t weight, std::size_t bias);
  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const;
  /// Over the channels of [B, C, H, W].
  at::Tensor over_channels(const at::Tensor& x, const ForwardContext& context) const;

 private:
  std::size_t weight_, bias_;
};

/// Point weights that are added or multiplied as they are: a position, a token, a scale of
/// channels. In the type of the activations, which it is given.
class PointWeights {
 public:
  explicit PointWeights(std::size_t weight) : weight_(weight) {}
  at::Tensor like(const at::Tensor& x, const ForwardContext& context) const;

 private:
  std::size_t weight_;
};

/// Dropout on [B, features]: in training, and in prediction where the context asks for MC dropout.
class Dropout {
 public:
  Dropout(double rate, std::uint32_t layer);
  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const;

 private:
  double rate_;
  std::uint32_t layer_;
};

}  // namespace cubcal
