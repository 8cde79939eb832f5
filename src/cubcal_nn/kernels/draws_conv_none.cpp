#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/draws_conv_device.h"

namespace cubcal::device {

bool has_draws_conv() { return false; }

void draws_conv(const at::Tensor&, const at::Tensor&, const PatchOptions&, bool, const ConvFinish&,
                const at::Tensor&) {
  throw ArgumentError("this build has no CUDA kernels");
}

}  // namespace cubcal::device
