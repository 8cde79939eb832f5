#include "cubcal_nn/kernels/device_memory.h"
#include "cubcal_nn/kernels/process_memory.h"

namespace cubcal {

void reset_peak_memory(c10::Device) { reset_peak_process_memory(); }
std::int64_t peak_memory(c10::Device) { return peak_process_memory(); }
double memory_share_in_use(c10::Device) { return 0; }
void wait_for_device(c10::Device) {}
const char* device_name(c10::Device) { return "CPU"; }

}  // namespace cubcal
