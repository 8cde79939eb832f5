#include "cubcal/bayes/layers.h"

#include <ATen/ATen.h>

namespace cubcal {

namespace {

const at::Tensor& weight_of(const ForwardContext& context, std::size_t index) {
  return (*context.weights)[index];
}

}  // namespace

Conv2d::Conv2d(const Conv2dOptions& options, std::size_t weight, std::optional<std::size_t> bias)
    : options_(options), weight_(weight), bias_(bias) {}

at::Tensor Conv2d::operator()(const at::Tensor& x, const ForwardContext& context) const {
  const at::Tensor bias = bias_ ? weight_of(context, *bias_) : at::Tensor();
  return at::conv2d(x, weight_of(context, weight_), bias, options_.stride, options_.padding,
                    options_.dilation, options_.groups);
}

Linear::Linear(std::size_t weight, std::size_t bias) : weight_(weight), bias_(bias) {}

at::Tensor Linear::operator()(const at::Tensor& x, const ForwardContext& context) const {
  return at::linear(x, weight_of(context, weight_), weight_of(context, bias_));
}

BatchNorm2d::BatchNorm2d(const ParameterStore& store, std::size_t weight, std::size_t bias,
                         std::size_t running_mean, std::size_t running_var)
    : store_(&store),
      weight_(weight),
      bias_(bias),
      running_mean_(running_mean),
      running_var_(running_var) {}

at::Tensor BatchNorm2d::operator()(const at::Tensor& x, const ForwardContext& context) const {
  constexpr double kEpsilon = 1e-5;
  return at::batch_norm(x, weight_of(context, weight_), weight_of(context, bias_),
                        store_->buffer(running_mean_), store_->buffer(running_var_),
                        context.training, context.norm_momentum, kEpsilon, /*cudnn_enabled=*/true);
}

Dropout::Dropout(double rate, std::uint32_t layer) : rate_(rate), layer_(layer) {}

at::Tensor Dropout::operator()(const at::Tensor& x, const ForwardContext& context) const {
  if (rate_ == 0 || !(context.training || context.mc_dropout)) return x;
  return x * dropout_mask(context.sample_indices(x.size(0)), x.size(1), rate_, layer_,
                          context.noise, x.options());
}

}  // namespace cubcal
