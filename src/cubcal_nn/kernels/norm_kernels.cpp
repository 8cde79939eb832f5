#include "cubcal_nn/kernels/norm_kernels.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "cubcal_nn/kernels/norm_kernels_device.h"

namespace cubcal {

namespace {

c10::ScalarType sum_type(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

at::Tensor of_channels(const at::Tensor& x) {
  return at::empty({x.size(1)}, x.options().dtype(sum_type(x)));
}

at::Tensor like_images(const at::Tensor& x) {
  return at::empty_like(x, x.options(), at::MemoryFormat::ChannelsLast);
}

at::Tensor channels_last(const at::Tensor& x) {
  return x.defined() ? x.contiguous(at::MemoryFormat::ChannelsLast) : x;
}

std::int64_t values_per_channel(const at::Tensor& x) { return x.numel() / x.size(1); }

at::Tensor wide(const at::Tensor& channels) { return channels.view({1, -1, 1, 1}); }

at::Tensor normalised(const at::Tensor& x, const NormMoments& moments) {
  return (x.to(sum_type(x)) - wide(moments.mean)) * wide(moments.scale);
}

}  // namespace

NormMoments norm_moments(const at::Tensor& x, const NormPlace& norm, double epsilon) {
  const c10::NoGradGuard no_grad;
  const at::Tensor images = channels_last(x);
  NormMoments moments{of_channels(x), of_channels(x)};
  if (x.is_cuda()) {
    device::norm_moments(images, norm, epsilon, moments);
    return moments;
  }
  const auto [variance, mean] = at::var_mean(images.to(sum_type(x)), {0, 2, 3}, /*unbiased=*/false);
  const auto count = static_cast<double>(values_per_channel(x));
  moments.mean.copy_(mean);
  moments.scale.copy_((variance + epsilon).rsqrt());
  norm.batch_mean.copy_(mean);
  norm.batch_variance.copy_(variance * (count / std::max(count - 1, 1.0)));
  return moments;
}

at::Tensor norm_apply(const at::Tensor& x, const NormMoments& moments, const NormPlace& norm,
                      const at::Tensor& residual, bool relu) {
  const c10::NoGradGuard no_grad;
  const at::Tensor images = channels_last(x);
  if (x.is_cuda()) {
    at::Tensor y = like_images(images);
    device::norm_apply(images, moments, norm, channels_last(residual), relu, y);
    return y;
  }
  at::Tensor y = normalised(images, moments) * wide(norm.weight) + wide(norm.bias);
  if (residual.defined()) y = y + residual;
  if (relu) y = y.relu();
  return y.to(x.scalar_type());
}

NormGradients norm_backward(const at::Tensor& gradient, const at::Tensor& x,
                            const NormMoments& moments, const NormPlace& norm,
                            const NormBackOptions& options) {
  const c10::NoGradGuard no_grad;
  const at::Tensor images = channels_last(x);
  const at::Tensor slope = channels_last(gradient);
  NormGradients gradients{{}, of_channels(x), of_channels(x), {}};
  if (x.is_cuda()) {
    gradients.x = like_images(images);
    if (options.of_residual) gradients.residual = like_images(images);
    NormBackOptions laid_out = options;
    laid_out.result = channels_last(options.result);
    device::norm_backward(slope, images, moments, norm, laid_out, gradients);
    return gradients;
  }
  at::Tensor passed = slope.to(sum_type(x));
  if (options.gate != NormGate::kOpen) {
    const at::Tensor result = options.gate == NormGate::kResult
                                  ? options.result
                                  : norm_apply(images, moments, norm, {}, /*relu=*/false);
    passed = passed * (result > 0);
  }
  const at::Tensor centred = normalised(images, moments);
  const auto count = static_cast<double>(values_per_channel(x));
  gradients.bias.copy_(passed.sum({0, 2, 3}));
  gradients.weight.copy_((passed * centred).sum({0, 2, 3}));
  gradients.x = (wide(norm.weight * moments.scale) *
                 (passed - wide(gradients.bias / count) - centred * wide(gradients.weight / count)))
                    .to(x.scalar_type());
  if (options.of_residual) gradients.residual = passed.to(x.scalar_type());
  return gradients;
}

}  // namespace cubcal
