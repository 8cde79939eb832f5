#pragma once

#include <c10/core/Device.h>

#include <cstddef>
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
  /// What was captured; its stream stays.
  void forget();

  /// Whether a capture is under way in this thread.
  static bool capturing();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Streams beside the current one. On a CPU, and in builds without CUDA, there are none.
class DeviceBranches {
 public:
  DeviceBranches(c10::Device device, std::size_t count);
  ~DeviceBranches();
  DeviceBranches(const DeviceBranches&) = delete;
  DeviceBranches& operator=(const DeviceBranches&) = delete;

  /// Runs work(0), work(1), ..., each on a stream of its own: after all that the current stream has
  /// been given, and before all that it will be given. Part of a graph where one is captured.
  void run(const std::function<void(std::size_t)>& work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cubcal
