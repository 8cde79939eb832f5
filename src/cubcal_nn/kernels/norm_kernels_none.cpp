#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/norm_kernels_device.h"

namespace cubcal::device {

namespace {

[[noreturn]] void refuse_norms() { throw ArgumentError("this build has no CUDA kernels"); }

}  // namespace

void norm_moments(const at::Tensor&, const NormPlace&, double, const NormMoments&) {
  refuse_norms();
}

void norm_apply(const at::Tensor&, const NormMoments&, const NormPlace&, const at::Tensor&, bool,
                const at::Tensor&) {
  refuse_norms();
}

void norm_backward(const at::Tensor&, const at::Tensor&, const NormMoments&, const NormPlace&,
                   const NormBackOptions&, const NormGradients&) {
  refuse_norms();
}

}  // namespace cubcal::device
