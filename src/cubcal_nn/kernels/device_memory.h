#pragma once

#include <c10/core/Device.h>

#include <cstdint>

/// The most memory in use since reset_peak_memory: held for tensors and graphs on a GPU, of the
/// process on a CPU (0 where the system does not say).
namespace cubcal {

void reset_peak_memory(c10::Device device);
std::int64_t peak_memory(c10::Device device);

/// What tensors take of a GPU's memory, of 1; 0 on a CPU.
double memory_share_in_use(c10::Device device);

/// Waits until the device has done what was asked of it.
void wait_for_device(c10::Device device);

/// "NVIDIA H200" for a GPU, "CPU" otherwise.
const char* device_name(c10::Device device);

}  // namespace cubcal
