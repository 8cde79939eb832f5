#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace cubcal {

/// Work that is recorded once and then replayed as a whole, which spares a GPU the thousands of
/// launches a step is made of. On a CPU, and in builds without CUDA, replaying is running.
class DeviceGraph {
 public:
  explicit DeviceGraph(c10::Device device);
  ~DeviceGraph();
  DeviceGraph(const DeviceGraph&) = delete;
  DeviceGraph& operator=(const DeviceGraph&) = delete;

  /// Runs `work` on the stream a later capture will use. Everything set up on first use (memory,
  /// the choice of convolution algorithms) must have happened in such a run before a capture.
  void run(const std::function<void()>& work);
  /// Records `work`, which must not wait for the device or copy from the host, and keeps the memory
  /// it allocates. It is not run by this.
  void capture(const std::function<void()>& work);
  bool captured() const;
  void replay();

  /// Whether a capture is under way in this thread.
  static bool capturing();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cubcal
