#include "cubcal_nn/bayes/split_norm.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "cubcal_nn/bayes/parameter_store.h"
#include "cubcal_nn/bayes/split_moments.h"

namespace cubcal {

namespace {

/// So that autograd can keep a function from the way there to the way back.
struct HeldAddUp : torch::CustomClassHolder {
  explicit HeldAddUp(AddUp given) : add_up(std::move(given)) {}
  AddUp add_up;
};

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
    running_mean.lerp_(whole.mean, options.momentum);
    running_var.lerp_(whole.unbiased, options.momentum);
    context->save_for_backward({images, weight, whole.mean, whole.scale});
    context->saved_data["count"] = whole.count;
    context->saved_data["add_up"] =
        c10::IValue::make_capsule(c10::make_intrusive<HeldAddUp>(options.add_up));
    return normed(images, weight, bias, whole.mean, whole.variance);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const c10::NoGradGuard no_grad;
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &weight = saved[1], &mean = saved[2], &scale = saved[3];
    const auto held = context->saved_data["add_up"].toCapsule();
    const at::Tensor dy = gradients[0].contiguous(x.suggest_memory_format());
    const auto own =
        at::native_batch_norm_backward(dy, x, weight, {}, {}, mean, scale,
                                       /*train=*/true, kNormEpsilon, {false, true, true});
    const at::Tensor sums = at::cat({std::get<1>(own), std::get<2>(own)}).to(at::kDouble);
    static_cast<const HeldAddUp&>(*held).add_up(sums);
    torch::autograd::variable_list result(6);
    result[0] = through_split_norm(
        dy, x, {weight, mean, scale, sums, context->saved_data["count"].toDouble()});
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
