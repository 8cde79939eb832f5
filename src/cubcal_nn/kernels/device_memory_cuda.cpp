#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>

#include "cubcal_nn/kernels/device_memory.h"
#include "cubcal_nn/kernels/process_memory.h"

namespace cubcal {

namespace {

/// "cuda" without a number is the current device.
c10::DeviceIndex index_of(c10::Device device) {
  return device.has_index() ? device.index()
                            : static_cast<c10::DeviceIndex>(c10::cuda::current_device());
}

}  // namespace

void reset_peak_memory(c10::Device device) {
  if (!device.is_cuda()) return reset_peak_process_memory();
  c10::cuda::CUDACachingAllocator::emptyCache();
  c10::cuda::CUDACachingAllocator::resetPeakStats(index_of(device));
}

std::int64_t peak_memory(c10::Device device) {
  if (!device.is_cuda()) return peak_process_memory();
  return c10::cuda::CUDACachingAllocator::getDeviceStats(index_of(device)).reserved_bytes[0].peak;
}

double memory_share_in_use(c10::Device device) {
  if (!device.is_cuda()) return 0;
  const auto in_use =
      c10::cuda::CUDACachingAllocator::getDeviceStats(index_of(device)).allocated_bytes[0].current;
  return static_cast<double>(in_use) /
         static_cast<double>(at::cuda::getDeviceProperties(index_of(device))->totalGlobalMem);
}

void wait_for_device(c10::Device device) {
  if (device.is_cuda()) C10_CUDA_CHECK(cudaDeviceSynchronize());
}

const char* device_name(c10::Device device) {
  return device.is_cuda() ? at::cuda::getDeviceProperties(index_of(device))->name : "CPU";
}

}  // namespace cubcal
