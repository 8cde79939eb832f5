#pragma once

#include <cuda_bf16.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Runs a kernel's own source without a GPU, block by block: the threads of a block are fibers of
/// one thread of the machine. Copies to shared memory leave rubbish there until the thread has
/// waited for them, so that a read too early, or a stage that is overwritten too early, is seen in
/// the results; addresses are held to the memory that there is.
namespace cubcal::device {

/// What is in device memory: begin and end of each tensor that is read.
using DeviceMemory = std::vector<std::pair<const void*, const void*>>;

struct BlockGrid {
  int blocks, draws;  ///< in x and in y
  int threads;        ///< a multiple of 32
  int shared_bytes;
};

/// Gives what went wrong besides results, or nothing.
std::string run_blocks(const BlockGrid& grid, const DeviceMemory& memory,
                       const std::function<void()>& kernel);

}  // namespace cubcal::device
