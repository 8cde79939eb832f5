#include "cubcal_nn/kernels/compute_scope.h"

#include <ATen/Parallel.h>

namespace cubcal {

ComputeScope::ComputeScope(const ComputeSettings& settings)
    : threads_(at::get_num_threads()), convolution_(convolution_backend()) {
  if (settings.threads > 0) at::set_num_threads(settings.threads);
  if (settings.convolution) set_convolution_backend(*settings.convolution);
}

ComputeScope::~ComputeScope() {
  at::set_num_threads(threads_);
  set_convolution_backend(convolution_);
}

}  // namespace cubcal
