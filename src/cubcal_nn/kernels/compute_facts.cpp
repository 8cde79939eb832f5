#include "cubcal_nn/kernels/compute_facts.h"

#include <sys/utsname.h>

#include "cubcal_nn/kernels/device_memory.h"

namespace cubcal {

namespace {

/// The widest vectors that LibTorch would use.
const char* vector_text() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return ", AVX-512";
  if (__builtin_cpu_supports("avx2")) return ", AVX2";
#endif
  return "";
}

}  // namespace

std::string compute_text(c10::Device device, std::optional<ConvolutionBackend> convolution,
                         Precision precision) {
  if (!device.is_cpu()) {
    return std::string("cuda, ") + precision_name(resolve_precision(precision, device));
  }
  return std::string("cpu, ") +
         convolution_backend_name(convolution ? *convolution : convolution_backend());
}

std::string processor_text(c10::Device device) {
  if (!device.is_cpu()) return device_name(device);
  utsname machine{};
  const std::string architecture = ::uname(&machine) == 0 ? machine.machine : "unknown";
  return architecture + vector_text();
}

}  // namespace cubcal
