#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/fused_kernels_device.h"

namespace cubcal::device {

namespace {

[[noreturn]] void refuse() { throw ArgumentError("this build has no CUDA kernels"); }

}  // namespace

bool has_kernels() { return false; }

void draw(const FusedLayout&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
          const NormAffine&, const at::Tensor&) {
  refuse();
}

void fold(const FusedLayout&, const at::Tensor&, c10::ScalarType, const at::Tensor&,
          const at::Tensor&, const at::Tensor&, const at::Tensor&, const FoldOptions&,
          const at::Tensor&, const at::Tensor&, const at::Tensor&) {
  refuse();
}

void sum(const at::Tensor&, const at::Tensor&, const at::Tensor&) { refuse(); }

void sgd(const at::Tensor&, const at::Tensor&, const at::Tensor&, const FusedSgdOptions&,
         const at::Tensor&) {
  refuse();
}

void dropout_mask(const at::Tensor&, const at::Tensor&, const at::Tensor&, double) { refuse(); }

void bias_act(const at::Tensor&, const at::Tensor&, const at::Tensor&, bool) { refuse(); }

void patches(const at::Tensor&, const PatchOptions&, std::int64_t, const at::Tensor&) { refuse(); }

void max_pool(const at::Tensor&, const PatchOptions&, const at::Tensor&) { refuse(); }

void depthwise(const at::Tensor&, const at::Tensor&, const PatchOptions&, bool, const at::Tensor&) {
  refuse();
}

}  // namespace cubcal::device
