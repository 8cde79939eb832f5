#include "cubcal_nn/bayes/split_norm.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "cubcal_nn/bayes/parameter_store.h"

namespace cubcal {

namespace {

/// So that autograd can keep a function from the way there to the way back.
struct HeldAddUp : torch::CustomClassHolder {
  explicit HeldAddUp(AddUp given) : add_up(std::move(given)) {}
  AddUp add_up;
};

double values_per_channel(const at::Tensor& x) {
  return static_cast<double>(x.numel()) / static_cast<double>(x.size(1));
}

/// Of the whole batch, per channel, in float64.
struct WholeMoments {
  at::Tensor mean, variance;
  double count = 0;
};

/// Parts are weighed by how much they hold: they may differ by an image.
WholeMoments whole_moments(const at::Tensor& x, const AddUp& add_up) {
  const auto [mean, variance] = at::batch_norm_update_stats(x, {}, {}, 0);
  const at::Tensor own_mean = mean.to(at::kDouble);
  const at::Tensor own_square = variance.to(at::kDouble) + own_mean.square();
  const double own = values_per_channel(x);
  const at::Tensor count = at::full({1}, own, own_mean.options());
  const at::Tensor sums = at::cat({own_mean * own, own_square * own, count});
  add_up(sums);
  const std::int64_t channels = x.size(1);
  WholeMoments whole;
  whole.count = sums[2 * channels].item<double>();
  whole.mean = sums.narrow(0, 0, channels) / whole.count;
  whole.variance =
      (sums.narrow(0, channels, channels) / whole.count - whole.mean.square()).clamp_min(0);
  return whole;
}

/// (x - mean) / deviation * weight + bias, with statistics that are given.
at::Tensor normed(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                  const at::Tensor& mean, const at::Tensor& variance) {
  return at::batch_norm(x, weight, bias, mean, variance, /*training=*/false, 0, kNormEpsilon,
                        /*cudnn_enabled=*/false);
}

class SplitNorm : public torch::autograd::Function<SplitNorm> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& running_mean, const at::Tensor& running_var,
                            const SplitNormOptions& options) {
    const at::Tensor images = x.contiguous(x.suggest_memory_format());
    const WholeMoments whole = whole_moments(images, options.add_up);
    const at::Tensor mean = whole.mean.to(x.scalar_type());
    const at::Tensor variance = whole.variance.to(x.scalar_type());
    running_mean.lerp_(mean, options.momentum);
    const double unbiased = whole.count / (whole.count - 1);
    running_var.lerp_((whole.variance * unbiased).to(x.scalar_type()), options.momentum);
    context->save_for_backward({images, weight, mean, variance});
    context->saved_data["count"] = whole.count;
    context->saved_data["add_up"] =
        c10::IValue::make_capsule(c10::make_intrusive<HeldAddUp>(options.add_up));
    return normed(images, weight, bias, mean, variance);
  }

  /// With n values per channel and x^ the normed x:
  /// dx = weight / deviation (dy - sum(dy) / n - x^ sum(dy x^) / n).
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const c10::NoGradGuard no_grad;
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &mean = saved[2], &variance = saved[3];
    const double count = context->saved_data["count"].toDouble();
    const auto held = context->saved_data["add_up"].toCapsule();
    const at::Tensor dy = gradients[0].contiguous(x.suggest_memory_format());
    const at::Tensor scale = (variance + kNormEpsilon).rsqrt();
    const auto own =
        at::native_batch_norm_backward(dy, x, weight, {}, {}, mean, scale,
                                       /*train=*/true, kNormEpsilon, {false, true, true});
    const at::Tensor sums = at::cat({std::get<1>(own), std::get<2>(own)}).to(at::kDouble);
    static_cast<const HeldAddUp&>(*held).add_up(sums);
    const at::Tensor means = (sums / count).to(x.scalar_type());
    const std::int64_t channels = x.size(1);
    const at::Tensor slope = weight * scale;
    const at::Tensor dx = normed(x, -slope * means.narrow(0, 0, channels),
                                 -slope * means.narrow(0, channels, channels), mean, variance);
    dx.addcmul_(dy, slope.view({1, -1, 1, 1}));
    torch::autograd::variable_list result(6);
    result[0] = dx;
    result[1] = std::get<1>(own);
    result[2] = std::get<2>(own);
    return result;
  }
};

}  // namespace

at::Tensor split_batch_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                            const at::Tensor& running_mean, const at::Tensor& running_var,
                            const SplitNormOptions& options) {
  return SplitNorm::apply(x, weight, bias, running_mean, running_var, options);
}

}  // namespace cubcal
