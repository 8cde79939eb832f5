#include "cubcal_nn/kernels/panel_layers.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "cubcal_nn/kernels/compute_backend.h"

namespace cubcal {

namespace {

bool panels_are_in_force() {
  return !c10::GradMode::is_enabled() && convolution_backend() == ConvolutionBackend::kPanels;
}

}  // namespace

bool wide_enough_for_winograd(const at::Tensor& x) {
  constexpr std::int64_t kPixels = 64;  // 8 x 8
  return x.size(2) * x.size(3) >= kPixels;
}

bool conv_goes_by_panels(const at::Tensor& x, const at::Tensor& weight, std::int64_t dilation,
                         std::int64_t groups) {
  return panels_are_in_force() && fast_conv_takes(x, weight, dilation, groups);
}

bool linear_goes_by_panels(const at::Tensor& x, const at::Tensor& weight) {
  return panels_are_in_force() && x.dim() == 2 && weight.dim() == 2 && x.numel() > 0 &&
         x.is_cpu() && x.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat;
}

at::Tensor linear_by_panels(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  FastConvFinish finish;
  finish.bias = bias;
  const at::Tensor columns = x.t().contiguous().view({1, x.size(1), x.size(0), 1});
  const at::Tensor y = fast_conv2d(columns, weight.unsqueeze(2).unsqueeze(3), finish, {});
  return y.view({weight.size(0), x.size(0)}).t().contiguous();
}

}  // namespace cubcal
