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
bool DeviceGraph::capturing() { return false; }

}  // namespace cubcal
