#include "cubcal_nn/kernels/process_memory.h"

#include <fstream>
#include <string>

#include "cubcal/core/words.h"

namespace cubcal {

void reset_peak_process_memory() { std::ofstream("/proc/self/clear_refs") << "5"; }

std::int64_t peak_process_memory() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (starts_with(line, "VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  return 0;
}

}  // namespace cubcal
