#pragma once

#include <c10/core/Device.h>

#include <optional>
#include <string>

#include "cubcal_nn/kernels/compute_backend.h"
#include "cubcal_nn/kernels/precision.h"

/// What decides in which order numbers are summed, as records keep it.
namespace cubcal {

/// "cpu, panels" or "cuda, bf16"; the path is the one set where none is given.
std::string compute_text(c10::Device device, std::optional<ConvolutionBackend> convolution,
                         Precision precision);

/// "aarch64", "x86_64, AVX2", or the name of a GPU.
std::string processor_text(c10::Device device);

}  // namespace cubcal
