#include "cubcal_nn/bayes/layers.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "cubcal_nn/bayes/batched_layers.h"
#include "cubcal_nn/bayes/block_conv.h"
#include "cubcal_nn/kernels/compute_backend.h"
#include "cubcal_nn/kernels/fused_kernels.h"
#include "cubcal_nn/kernels/panel_layers.h"

namespace cubcal {

namespace {

constexpr double kLayerNormEpsilon = 1e-6;

const at::Tensor& weight_of(const ForwardContext& context, std::size_t index) {
  return (*context.weights)[index];
}

}  // namespace

Conv2d::Conv2d(const Conv2dOptions& options, std::size_t weight, std::optional<std::size_t> bias)
    : options_(options), weight_(weight), bias_(bias) {}

at::Tensor Conv2d::operator()(const at::Tensor& x, const ForwardContext& context) const {
  if (context.draws > 1 || context.folded) {
    ConvFinish finish;
    if (bias_) finish.bias = weight_of(context, *bias_);
    return with_finish(x, finish, context);
  }
  const at::Tensor bias = bias_ ? weight_of(context, *bias_) : at::Tensor();
  if (by_panels(x, context)) {
    return fast_conv2d_training(
        x, weight_of(context, weight_), bias,
        {options_.stride, options_.padding, context.training || wide_enough_for_winograd(x)});
  }
  return at::conv2d(x, weight_of(context, weight_), bias, options_.stride, options_.padding,
                    options_.dilation, options_.groups);
}

const at::Tensor& Conv2d::weight(const ForwardContext& context) const {
  return weight_of(context, weight_);
}

bool Conv2d::by_panels(const at::Tensor& x, const ForwardContext& context) const {
  return context.draws <= 1 && !context.folded &&
         convolution_backend() == ConvolutionBackend::kPanels &&
         fast_conv_takes(x, weight_of(context, weight_), options_.dilation, options_.groups);
}

at::Tensor Conv2d::panels(const at::Tensor& x, const FastConvFinish& finish,
                          const ForwardContext& context) const {
  return fast_conv2d(x, weight_of(context, weight_), finish,
                     {options_.stride, options_.padding, wide_enough_for_winograd(x)});
}

at::Tensor Conv2d::products(const at::Tensor& x, const ForwardContext& context) const {
  return at::conv2d(x, weight_of(context, weight_), {}, options_.stride, options_.padding,
                    options_.dilation, options_.groups);
}

at::Tensor Conv2d::with_finish(const at::Tensor& x, const ConvFinish& finish,
                               const ForwardContext& context) const {
  const at::Tensor& weight = weight_of(context, weight_);
  if (context.draws > 1) {
    return batched_conv2d(x, weight, options_, /*shared=*/x.size(0) == context.images, finish);
  }
  // Few products for each result: what finishing them at once spares is more than a library's
  // quicker products do.
  if (options_.kernel == 1 && options_.groups == 1 && finish.residual.defined()) {
    const at::Tensor one_draw = weight.permute({0, 2, 3, 1}).unsqueeze(0);
    const PatchOptions places{1, options_.stride, options_.padding, options_.dilation};
    if (draws_conv_takes(x, one_draw, places)) {
      return draws_conv(x, one_draw, places, /*shared=*/true, finish);
    }
  }
  return finished(
      is_slow_stem(x, options_) ? conv2d_of_blocks(x, weight, options_) : products(x, context),
      finish);
}

Linear::Linear(std::size_t weight, std::size_t bias) : weight_(weight), bias_(bias) {}

at::Tensor Linear::operator()(const at::Tensor& x, const ForwardContext& context) const {
  const at::Tensor& weight = weight_of(context, weight_);
  const at::Tensor& bias = weight_of(context, bias_);
  if (context.draws > 1) return batched_linear(x, weight, bias);
  return !context.training && linear_goes_by_panels(x, weight) ? linear_by_panels(x, weight, bias)
                                                               : at::linear(x, weight, bias);
}

at::Tensor Linear::in_float(const at::Tensor& x, const ForwardContext& context) const {
  const at::Tensor& weight = weight_of(context, weight_);
  if (weight.scalar_type() != at::kBFloat16) return (*this)(x, context);
  const at::Tensor& bias = weight_of(context, bias_);
  const auto as_float = [](const at::Tensor& tensor) { return tensor.to(at::kFloat); };
  return context.draws > 1 ? batched_linear(as_float(x), as_float(weight), as_float(bias))
                           : at::linear(as_float(x), as_float(weight), as_float(bias));
}

BatchNorm2d::BatchNorm2d(const ParameterStore& store, std::size_t weight, std::size_t bias,
                         std::size_t running_mean, std::size_t running_var)
    : store_(&store),
      weight_(weight),
      bias_(bias),
      running_mean_(running_mean),
      running_var_(running_var) {}

at::Tensor BatchNorm2d::operator()(const at::Tensor& x, const ForwardContext& context) const {
  if (context.training && context.add_up) {
    return split_batch_norm(x, weight_of(context, weight_), weight_of(context, bias_),
                            store_->buffer(running_mean_), store_->buffer(running_var_),
                            {context.norm_momentum, context.add_up});
  }
  if (context.training && context.norm_statistics.defined()) {
    const NormPlace norm = place(context);
    return at::batch_norm(x, norm.weight, norm.bias, norm.batch_mean, norm.batch_variance,
                          /*training=*/true, /*momentum=*/1.0, kNormEpsilon,
                          /*cudnn_enabled=*/true);
  }
  return at::batch_norm(x, weight_of(context, weight_), weight_of(context, bias_),
                        store_->buffer(running_mean_), store_->buffer(running_var_),
                        context.training, context.norm_momentum, kNormEpsilon,
                        /*cudnn_enabled=*/true);
}

FoldedNorm BatchNorm2d::at_running_statistics(const ForwardContext& context) const {
  const at::Tensor scale =
      weight_of(context, weight_) / (store_->buffer(running_var_) + kNormEpsilon).sqrt();
  return {scale, weight_of(context, bias_) - scale * store_->buffer(running_mean_)};
}

NormPlace BatchNorm2d::place(const ForwardContext& context) const {
  // With a version of its own: writing one norm's is no change of what another has kept.
  const auto statistics = [&](std::size_t buffer) {
    const BufferEntry& entry = store_->buffers()[buffer];
    return context.norm_statistics.narrow(0, entry.offset, entry.size).variable_data();
  };
  return {weight_of(context, weight_), weight_of(context, bias_), statistics(running_mean_),
          statistics(running_var_)};
}

bool ConvNorm::in_one(const at::Tensor& x, const ForwardContext& context) const {
  return !context.training && !c10::GradMode::is_enabled() && conv_.by_panels(x, context);
}

at::Tensor ConvNorm::one(const at::Tensor& x, const at::Tensor& residual, bool relu,
                         const ForwardContext& context) const {
  FoldedNorm norm = norm_.at_running_statistics(context);
  if (conv_.bias()) norm.shift = norm.shift + norm.scale * weight_of(context, *conv_.bias());
  return conv_.panels(x, {norm.scale, norm.shift, residual, relu}, context);
}

ConvNorm::ConvNorm(const Conv2d& conv, const BatchNorm2d& norm, std::size_t norm_bias)
    : conv_(conv), norm_(norm), norm_bias_(norm_bias) {}

at::Tensor ConvNorm::operator()(const at::Tensor& x, const ForwardContext& context) const {
  if (context.folded) return folded(x, {}, false, context);
  if (in_one(x, context)) return one(x, {}, false, context);
  return norm_(conv_(x, context), context);
}

at::Tensor ConvNorm::relu(const at::Tensor& x, const ForwardContext& context) const {
  if (context.folded) return folded(x, {}, true, context);
  if (in_one(x, context)) return one(x, {}, true, context);
  return norm_(conv_(x, context), context).relu_();
}

at::Tensor ConvNorm::add_relu(const at::Tensor& x, const at::Tensor& residual,
                              const ForwardContext& context) const {
  if (context.folded) return folded(x, residual, true, context);
  if (in_one(x, context)) return one(x, residual, true, context);
  return norm_(conv_(x, context), context).add_(residual).relu_();
}

NormedConv ConvNorm::in_step(const ForwardContext& context) const {
  return {conv_.weight(context), conv_.options(), norm_.place(context)};
}

at::Tensor ConvNorm::folded(const at::Tensor& x, const at::Tensor& residual, bool relu,
                            const ForwardContext& context) const {
  return conv_.with_finish(
      x, {weight_of(context, conv_.bias().value_or(norm_bias_)), residual, relu}, context);
}

at::Tensor max_pool(const at::Tensor& x, const PatchOptions& window,
                    const ForwardContext& context) {
  if (context.folded) return fused_max_pool(x, window);
  return at::max_pool2d(x, window.kernel, window.stride, window.padding);
}

LayerNorm::LayerNorm(std::size_t weight, std::size_t bias) : weight_(weight), bias_(bias) {}

at::Tensor LayerNorm::operator()(const at::Tensor& x, const ForwardContext& context) const {
  const at::Tensor weight = weight_of(context, weight_).to(x.scalar_type());
  return at::layer_norm(x, weight.sizes(), weight, weight_of(context, bias_).to(x.scalar_type()),
                        kLayerNormEpsilon);
}

at::Tensor LayerNorm::over_channels(const at::Tensor& x, const ForwardContext& context) const {
  return (*this)(x.permute({0, 2, 3, 1}), context).permute({0, 3, 1, 2});
}

at::Tensor PointWeights::like(const at::Tensor& x, const ForwardContext& context) const {
  return weight_of(context, weight_).to(x.scalar_type());
}

Dropout::Dropout(double rate, std::uint32_t layer) : rate_(rate), layer_(layer) {}

at::Tensor Dropout::operator()(const at::Tensor& x, const ForwardContext& context) const {
  if (rate_ == 0 || !(context.training || context.mc_dropout)) return x;
  if (context.dropout_words.defined()) {
    const at::Tensor mask = at::empty_like(x);
    fused_dropout_mask(mask, context.device_samples, context.dropout_words[layer_], rate_);
    return x * mask;
  }
  return x * dropout_mask(context.sample_indices(x.size(0)), x.size(1), rate_, layer_,
                          context.noise, x.options());
}

}  // namespace cubcal
