#include "cubcal_nn/kernels/compute_scope.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include "cubcal_nn/kernels/use_threads.h"

namespace cubcal {

ComputeSettings compute_settings(Precision precision, c10::Device device) {
  ComputeSettings settings;
  settings.precision = resolve_precision(precision, device);
  return settings;
}

ComputeScope::ComputeScope(const ComputeSettings& settings)
    : settings_(settings),
      threads_(at::get_num_threads()),
      convolution_(convolution_backend()),
      tf32_cudnn_(at::globalContext().allowTF32CuDNN()),
      tf32_cublas_(at::globalContext().allowTF32CuBLAS()),
      search_algorithms_(at::globalContext().benchmarkCuDNN()) {
  if (settings_.threads > 0) use_threads(settings_.threads);
  if (settings_.convolution) set_convolution_backend(*settings_.convolution);
  if (settings_.precision) {
    const bool rounded = *settings_.precision != Precision::kFp32;
    at::globalContext().setAllowTF32CuDNN(rounded);
    at::globalContext().setAllowTF32CuBLAS(rounded);
  }
  if (settings_.search_algorithms) {
    at::globalContext().setBenchmarkCuDNN(*settings_.search_algorithms);
  }
}

ComputeScope::~ComputeScope() {
  if (settings_.threads > 0) at::set_num_threads(threads_);
  if (settings_.convolution) set_convolution_backend(convolution_);
  if (settings_.precision) {
    at::globalContext().setAllowTF32CuDNN(tf32_cudnn_);
    at::globalContext().setAllowTF32CuBLAS(tf32_cublas_);
  }
  if (settings_.search_algorithms) at::globalContext().setBenchmarkCuDNN(search_algorithms_);
}

}  // namespace cubcal
