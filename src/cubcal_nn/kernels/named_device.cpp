#include "cubcal_nn/kernels/named_device.h"

#include <ATen/Context.h>

#include "cubcal/core/error.h"

namespace cubcal {

c10::Device named_device(const std::string& name) {
  if (name == "cpu") return c10::Device(c10::DeviceType::CPU);
  if (name != "cuda") {
    throw ArgumentError("the device must be 'cpu' or 'cuda', not '" + name + "'");
  }
  if (!at::globalContext().hasCUDA()) {
    throw ArgumentError(
        "the option 'device' cuda needs a CUDA device and a LibTorch built for CUDA");
  }
  return c10::Device(c10::DeviceType::CUDA, 0);
}

}  // namespace cubcal
