#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/noise_device.h"

namespace cubcal {

bool has_device_noise() { return false; }

void normal_noise_on_device(float*, std::int64_t, std::int64_t,
                            const std::array<std::uint32_t, 4>&) {
  throw ArgumentError("this build has no CUDA kernels");
}

}  // namespace cubcal
