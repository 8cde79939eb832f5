#include "cubcal_nn/kernels/device_graph.h"

namespace cubcal {

struct DeviceGraph::State {
  std::function<void()> work;
};

DeviceGraph::DeviceGraph(c10::Device) : state_(std::make_unique<State>()) {}
DeviceGraph::~DeviceGraph() = default;
void DeviceGraph::run(const std::function<void()>& work) { work(); }
void DeviceGraph::capture(const std::function<void()>& work) { state_->work = work; }
bool DeviceGraph::captured() const { return static_cast<bool>(state_->work); }
void DeviceGraph::replay() { state_->work(); }
void DeviceGraph::forget() { state_->work = nullptr; }
bool DeviceGraph::capturing() { return false; }

struct DeviceBranches::State {
  std::size_t count = 0;
};

DeviceBranches::DeviceBranches(c10::Device, std::size_t count) : state_(std::make_unique<State>()) {
  state_->count = count;
}
DeviceBranches::~DeviceBranches() = default;
void DeviceBranches::run(const std::function<void(std::size_t)>& work) {
  for (std::size_t i = 0; i < state_->count; ++i) work(i);
}

}  // namespace cubcal
