#include "cubcal_nn/kernels/named_device.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

c10::Device parsed(const std::string& name) {
  try {
    const c10::Device device(name);
    if (device.is_cpu() || device.is_cuda()) return device;
  } catch (const c10::Error&) {
    // falls through to the sentence below
  }
  throw ArgumentError("the device must be 'cpu', 'cuda' or 'cuda:N', not '" + name + "'");
}

}  // namespace

c10::Device named_device(const std::string& name) {
  const c10::Device device = parsed(name);
  if (device.is_cpu()) return device;
  if (!at::hasCUDA()) {
    throw ArgumentError("the option 'device' " + name +
                        " needs a CUDA device and a LibTorch built for CUDA");
  }
  const int gpus = at::detail::getCUDAHooks().getNumGPUs();
  const int index = device.has_index() ? device.index() : 0;
  if (index >= gpus) {
    throw ArgumentError("there is no GPU " + std::to_string(index) + " for the option 'device' " +
                        name + ": this machine has " + std::to_string(gpus));
  }
  return c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(index));
}

}  // namespace cubcal
