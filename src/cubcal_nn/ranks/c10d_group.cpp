#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#ifdef CUBCAL_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#ifdef CUBCAL_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include "cubcal_nn/ranks/local_address.h"
#include "cubcal_nn/ranks/rank_group.h"

namespace cubcal {

namespace {

using Milliseconds = std::chrono::milliseconds;

std::string first_line(const char* text) {
  const std::string all = text;
  return all.substr(0, all.find('\n'));
}

/// What the libraries throw, as one sentence.
template <class Work>
auto or_lost(const RankPlace& place, Work work) {
  try {
    return work();
  } catch (const std::exception& error) {
    throw RankLost("rank " + std::to_string(place.rank) + " of " + std::to_string(place.size) +
                   " lost another rank, which ended or did not answer (" +
                   first_line(error.what()) +
                   "): start all of them again with the option 'resume'");
  }
}

c10::intrusive_ptr<c10d::Store> meeting_point(const RankPlace& place, Milliseconds timeout) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place.port);
  options.isServer = place.hosts_store;
  options.waitWorkers = false;
  options.timeout = timeout;
  auto store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
  return c10::make_intrusive<c10d::PrefixStore>("cubcal/" + place.attempt, std::move(store));
}

/// What the two libraries are asked for alike.
template <class Group>
class C10dGroup : public RankGroup {
 public:
  C10dGroup(const RankPlace& place, std::string backend, c10::Device device, Milliseconds timeout,
            c10::intrusive_ptr<Group> group)
      : RankGroup(place.rank, place.size),
        place_(place),
        backend_(std::move(backend)),
        device_(device),
        timeout_(timeout),
        group_(std::move(group)) {}

  std::string backend() const override { return backend_; }

  void sum(std::vector<at::Tensor> tensors) override {
    each(tensors, [this](std::vector<at::Tensor>& one) { return group_->allreduce(one); });
  }

  void share_first(std::vector<at::Tensor> tensors) override {
    each(tensors, [this](std::vector<at::Tensor>& one) { return group_->broadcast(one); });
  }

 private:
  RankPlace place_;
  std::string backend_;
  c10::Device device_;
  Milliseconds timeout_;
  c10::intrusive_ptr<Group> group_;

  /// Starts all, then waits for all; tensors of another device go through a copy.
  template <class Start>
  void each(const std::vector<at::Tensor>& tensors, Start start) {
    const c10::NoGradGuard no_grad;
    or_lost(place_, [&] {
      std::vector<std::vector<at::Tensor>> placed;
      std::vector<decltype(start(placed.front()))> under_way;
      placed.reserve(tensors.size());
      for (const at::Tensor& tensor : tensors) {
        if (tensor.numel() == 0) continue;
        placed.push_back({tensor.detach().to(device_)});
        under_way.push_back(start(placed.back()));
      }
      for (const auto& work : under_way) work->wait(timeout_);
      std::size_t next = 0;
      for (const at::Tensor& tensor : tensors) {
        if (tensor.numel() == 0) continue;
        const at::Tensor& result = placed[next++].front();
        if (result.device() != tensor.device()) tensor.detach().copy_(result);
      }
    });
  }
};

#ifdef CUBCAL_GLOO
std::unique_ptr<RankGroup> gloo_group(const RankPlace& place, Milliseconds timeout) {
  auto options = c10d::ProcessGroupGloo::Options::create(timeout);
  const char* named = std::getenv("GLOO_SOCKET_IFNAME");
  const std::string own = local_address_towards(place.address, place.port);
  options->devices.push_back(named != nullptr
                                 ? c10d::ProcessGroupGloo::createDeviceForInterface(named)
                             : own.empty() ? c10d::ProcessGroupGloo::createDefaultDevice()
                                           : c10d::ProcessGroupGloo::createDeviceForHostname(own));
  using Group = C10dGroup<c10d::ProcessGroupGloo>;
  return std::make_unique<Group>(
      place, "gloo", c10::Device(c10::DeviceType::CPU), timeout,
      c10::make_intrusive<c10d::ProcessGroupGloo>(meeting_point(place, timeout), place.rank,
                                                  place.size, options));
}
#endif

#ifdef CUBCAL_NCCL
std::unique_ptr<RankGroup> nccl_group(const RankPlace& place, c10::Device device,
                                      Milliseconds timeout) {
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  using Group = C10dGroup<c10d::ProcessGroupNCCL>;
  return std::make_unique<Group>(
      place, "nccl", device, timeout,
      c10::make_intrusive<c10d::ProcessGroupNCCL>(meeting_point(place, timeout), place.rank,
                                                  place.size, options));
}
#endif

}  // namespace

std::unique_ptr<RankGroup> join_ranks(const RankPlace& place, c10::Device device,
                                      Milliseconds timeout) {
  const auto join = [&]() -> std::unique_ptr<RankGroup> {
#ifdef CUBCAL_NCCL
    if (device.is_cuda()) return nccl_group(place, device, timeout);
#endif
#ifdef CUBCAL_GLOO
    if (device.is_cpu()) return gloo_group(place, timeout);
#endif
    return nullptr;
  };
  std::unique_ptr<RankGroup> group;
  try {
    group = join();
    if (group) group->any(false);  // connections are made when first used
  } catch (const std::exception& error) {
    throw RankLost("rank " + std::to_string(place.rank) + " of " + std::to_string(place.size) +
                   " did not meet the others at " + place.address + ":" +
                   std::to_string(place.port) + " (" + first_line(error.what()) + ")");
  }
  if (group) return group;
  throw ArgumentError(std::string("this build cannot train on a ") +
                      (device.is_cuda() ? "GPU" : "CPU") +
                      " with the option 'distributed': it was made without " +
                      (device.is_cuda() ? "NCCL" : "Gloo, whose headers are in libgloo-dev"));
}

}  // namespace cubcal
