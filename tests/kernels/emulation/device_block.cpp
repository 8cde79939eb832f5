#include "kernels/emulation/device_block.h"

#include <ucontext.h>

#include <array>
#include <cstddef>
#include <deque>

#include "cubcal_nn/kernels/tensor_core.cuh"

Index threadIdx, blockIdx, blockDim, gridDim;

namespace cubcal::device {

namespace {

constexpr int kSharedBytes = 227 * 1024;  ///< what a block of an H200 can have
constexpr int kWarp = 32;
constexpr std::size_t kStack = 1 << 16;

struct Copy {
  std::uint32_t to;
  const void* from;  ///< null: zeros
  int group;
};

struct Thread {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(kStack);
  bool done = false;
  int warp_barriers = 0, block_barriers = 0;  ///< reached so far
  std::deque<Copy> copies;
  int group = 0;
  std::array<std::uint32_t, 6> shown{};  ///< to the other threads of the warp
};

std::vector<Thread> threads;
std::size_t current;
ucontext_t scheduler;
const std::function<void()>* kernel_now;
const DeviceMemory* tensors;
int shared_bytes;
std::string fault;

Thread& self() { return threads[current]; }
std::size_t lane() { return current % kWarp; }
Thread& of_warp(std::size_t other) { return threads[current - lane() + other]; }

void note(const std::string& what) {
  if (fault.empty()) fault = what + " by thread " + std::to_string(current);
}

void begin_thread() {
  (*kernel_now)();
  self().done = true;
  swapcontext(&self().context, &scheduler);
}

/// Lets the others run until all of [first, first + count) have got as far.
void wait_for(std::size_t first, std::size_t count, int Thread::*barriers) {
  const int reached = ++(self().*barriers);
  for (;;) {
    bool all = true;
    for (std::size_t i = first; i < first + count; ++i) all &= threads[i].*barriers >= reached;
    if (all) return;
    swapcontext(&self().context, &scheduler);
  }
}

void warp_barrier() { wait_for(current - lane(), kWarp, &Thread::warp_barriers); }

void make_fiber(Thread& thread) {
  getcontext(&thread.context);
  thread.context.uc_stack.ss_sp = thread.stack.data();
  thread.context.uc_stack.ss_size = thread.stack.size();
  thread.context.uc_link = nullptr;
  makecontext(&thread.context, begin_thread, 0);
}

void run_block(int count) {
  std::memset(memory, 0xff, static_cast<std::size_t>(kSharedBytes));
  threads.clear();
  threads.resize(static_cast<std::size_t>(count));
  for (Thread& thread : threads) make_fiber(thread);
  int reached = -1;
  for (bool any = true; any;) {
    any = false;
    const int before = reached;
    reached = 0;
    for (const Thread& thread : threads) {
      reached += thread.warp_barriers + thread.block_barriers + (thread.done ? 1 : 0);
    }
    if (reached == before) return note("a barrier that not all reach, waited for");
    for (current = 0; current < threads.size(); ++current) {
      if (self().done) continue;
      any = true;
      threadIdx.x = static_cast<unsigned>(current);
      swapcontext(&scheduler, &self().context);
    }
  }
}

bool is_there(const void* from, std::ptrdiff_t bytes) {
  const auto* begin = static_cast<const unsigned char*>(from);
  for (const auto& tensor : *tensors) {
    if (begin >= static_cast<const unsigned char*>(tensor.first) &&
        begin + bytes <= static_cast<const unsigned char*>(tensor.second)) {
      return true;
    }
  }
  return false;
}

bool in_shared(std::uint32_t place) {
  return place % 16 == 0 && place + 16 <= static_cast<std::uint32_t>(shared_bytes);
}

float half_of(std::uint32_t pair, std::size_t index) {
  return __bfloat162float({static_cast<std::uint16_t>(index == 0 ? pair : pair >> 16)});
}

}  // namespace

alignas(128) unsigned char memory[kSharedBytes];

void copy_async(std::uint32_t to, const void* from, std::uint32_t bytes) {
  if (!in_shared(to)) return note("a copy to no place of shared memory");
  if (bytes != 0 && bytes != 16) return note("a copy of other than 0 or 16 bytes");
  if (bytes != 0 && (reinterpret_cast<std::uintptr_t>(from) % 16 != 0 || !is_there(from, 16))) {
    return note("a copy from outside the tensors");
  }
  std::memset(memory + to, 0xff, 16);
  self().copies.push_back({to, bytes == 0 ? nullptr : from, self().group});
}

void prefetch(const void* from) {
  if (!is_there(from, 1)) note("a prefetch from outside the tensors");
}

void end_copy_group() { ++self().group; }

void wait_until_left(int groups) {
  std::deque<Copy>& copies = self().copies;
  while (!copies.empty() && copies.front().group < self().group - groups) {
    const Copy& copy = copies.front();
    if (copy.from == nullptr) {
      std::memset(memory + copy.to, 0, 16);
    } else {
      std::memcpy(memory + copy.to, copy.from, 16);
    }
    copies.pop_front();
  }
}

void load_matrices(std::uint32_t (&matrices)[4], std::uint32_t row) {
  if (!in_shared(row)) note("a matrix from no place of shared memory");
  self().shown[0] = in_shared(row) ? row : 0;
  warp_barrier();
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint32_t start = of_warp(8 * i + lane() / 4).shown[0];
    std::memcpy(&matrices[i], memory + start + lane() % 4 * 4, 4);
  }
  warp_barrier();
}

void multiply_add(float (&sums)[4], const std::uint32_t (&a)[4], std::uint32_t b_left,
                  std::uint32_t b_right) {
  self().shown = {a[0], a[1], a[2], a[3], b_left, b_right};
  warp_barrier();
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t row = lane() / 4 + 8 * (i / 2);
    const std::size_t column = 2 * (lane() % 4) + i % 2;
    for (std::size_t k = 0; k < 16; ++k) {
      const std::size_t pair = k % 8 / 2;
      const std::uint32_t of_a = of_warp(row % 8 * 4 + pair).shown[row / 8 + 2 * (k / 8)];
      const std::uint32_t of_b = of_warp(column * 4 + pair).shown[4 + k / 8];
      sums[i] += half_of(of_a, k % 2) * half_of(of_b, k % 2);
    }
  }
  warp_barrier();
}

std::string run_blocks(const BlockGrid& grid, const DeviceMemory& memory_of_device,
                       const std::function<void()>& kernel) {
  if (grid.shared_bytes > kSharedBytes) return "more shared memory than there is";
  kernel_now = &kernel;
  tensors = &memory_of_device;
  shared_bytes = grid.shared_bytes;
  fault.clear();
  for (int draw = 0; draw < grid.draws; ++draw) {
    for (int block = 0; block < grid.blocks; ++block) {
      blockIdx = {static_cast<unsigned>(block), static_cast<unsigned>(draw)};
      run_block(grid.threads);
    }
  }
  return fault;
}

}  // namespace cubcal::device

void __syncthreads() {
  using cubcal::device::Thread;
  cubcal::device::wait_for(0, cubcal::device::threads.size(), &Thread::block_barriers);
}
void __syncwarp() { cubcal::device::warp_barrier(); }
