#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <optional>

#include "cubcal/bayes/device_graph.h"

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

bool DeviceGraph::capturing() { return capture_under_way; }

}  // namespace cubcal
