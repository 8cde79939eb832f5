#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <optional>
#include <vector>

#include "cubcal_nn/kernels/device_graph.h"

namespace cubcal {

namespace {

thread_local bool capture_under_way = false;

struct CaptureMark {
  CaptureMark() { capture_under_way = true; }
  ~CaptureMark() { capture_under_way = false; }
};

void wait_for(const c10::cuda::CUDAStream& earlier, const c10::cuda::CUDAStream& later) {
  at::cuda::CUDAEvent event;
  event.record(earlier);
  event.block(later);
}

/// A graph has memory of its own, and during a capture LibTorch cannot give back what it has
/// cached: what the steps before the capture used would be held a second time for as long as the
/// run lasts, and so would the graphs of earlier runs.
void make_room() { c10::cuda::CUDACachingAllocator::emptyCache(); }

}  // namespace

struct DeviceGraph::State {
  std::optional<c10::cuda::CUDAStream> stream;  ///< empty on a CPU
  std::optional<at::cuda::CUDAGraph> graph;
  std::function<void()> work;  ///< of a CPU
};

DeviceGraph::DeviceGraph(c10::Device device) : state_(std::make_unique<State>()) {
  if (device.is_cuda()) state_->stream = c10::cuda::getStreamFromPool(false, device.index());
}

DeviceGraph::~DeviceGraph() = default;

void DeviceGraph::run(const std::function<void()>& work) {
  if (!state_->stream) return work();
  const c10::cuda::CUDAStream outside =
      c10::cuda::getCurrentCUDAStream(state_->stream->device_index());
  wait_for(outside, *state_->stream);
  {
    const c10::cuda::CUDAStreamGuard guard(*state_->stream);
    work();
  }
  wait_for(*state_->stream, outside);
}

void DeviceGraph::capture(const std::function<void()>& work) {
  if (!state_->stream) {
    state_->work = work;
    return;
  }
  state_->stream->synchronize();
  const c10::cuda::CUDAStreamGuard guard(*state_->stream);
  make_room();
  state_->graph.emplace();
  const CaptureMark mark;
  state_->graph->capture_begin();
  try {
    work();
  } catch (...) {
    state_->graph->capture_end();
    state_->graph.reset();
    throw;
  }
  state_->graph->capture_end();
}

bool DeviceGraph::captured() const { return state_->graph.has_value() || state_->work; }

void DeviceGraph::replay() {
  if (!state_->stream) return state_->work();
  run([this] { state_->graph->replay(); });
}

void DeviceGraph::forget() {
  if (state_->stream) state_->stream->synchronize();
  state_->graph.reset();
  state_->work = nullptr;
}

bool DeviceGraph::capturing() { return capture_under_way; }

struct DeviceBranches::State {
  std::size_t count = 0;
  std::vector<c10::cuda::CUDAStream> streams;  ///< empty on a CPU
};

DeviceBranches::DeviceBranches(c10::Device device, std::size_t count)
    : state_(std::make_unique<State>()) {
  state_->count = count;
  if (!device.is_cuda()) return;
  for (std::size_t i = 0; i < count; ++i) {
    state_->streams.push_back(c10::cuda::getStreamFromPool(false, device.index()));
  }
}

DeviceBranches::~DeviceBranches() = default;

void DeviceBranches::run(const std::function<void(std::size_t)>& work) {
  if (state_->streams.empty()) {
    for (std::size_t i = 0; i < state_->count; ++i) work(i);
    return;
  }
  const c10::cuda::CUDAStream trunk =
      c10::cuda::getCurrentCUDAStream(state_->streams[0].device_index());
  const auto join = [&] {
    for (const c10::cuda::CUDAStream& branch : state_->streams) wait_for(branch, trunk);
  };
  for (const c10::cuda::CUDAStream& branch : state_->streams) wait_for(trunk, branch);
  try {
    for (std::size_t i = 0; i < state_->count; ++i) {
      const c10::cuda::CUDAStreamGuard guard(state_->streams[i]);
      work(i);
    }
  } catch (...) {
    join();  // a capture cannot end before
    throw;
  }
  join();
}

}  // namespace cubcal
