#pragma once

#include <cstdint>

namespace cubcal {

/// The process's peak resident memory in bytes, and its reset; Linux only, 0 elsewhere.
void reset_peak_process_memory();
std::int64_t peak_process_memory();

}  // namespace cubcal
