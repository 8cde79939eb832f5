#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#ifdef CUBCAL_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif
#ifdef CUBCAL_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

#include "cubcal_nn/ranks/local_address.h"
#include "cubcal_nn/ranks/rank_group.h"
#include "cubcal_nn/ranks/shared_sums.h"

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

/// Tensors of one device that are under way; those of another go through a copy.
template <class Group>
class C10dWork : public RankWork {
 public:
  C10dWork(const RankPlace& place, c10::Device device, Milliseconds timeout)
      : place_(place), device_(device), timeout_(timeout) {}

  /// `start` is a function of a list of one tensor.
  template <class Start>
  void start(const std::vector<at::Tensor>& tensors, Start start) {
    const c10::NoGradGuard no_grad;
    or_lost(place_, [&] {
      for (const at::Tensor& tensor : tensors) {
        if (tensor.numel() == 0) continue;
        std::vector<at::Tensor> placed = {tensor.detach().to(device_)};
        parts_.push_back({tensor, placed.front(), start(placed)});
      }
    });
  }

  void wait() override {
    const c10::NoGradGuard no_grad;
    or_lost(place_, [&] {
      for (const Part& part : parts_) {
        part.work->wait(timeout_);
        if (part.tensor.device() != device_) part.tensor.detach().copy_(part.placed);
      }
    });
  }

 private:
  struct Part {
    at::Tensor tensor, placed;
    decltype(std::declval<Group&>().allreduce(std::declval<std::vector<at::Tensor>&>())) work;
  };

  RankPlace place_;
  c10::Device device_;
  Milliseconds timeout_;
  std::vector<Part> parts_;
};

/// How one of the two libraries is reached.
template <class Group>
struct C10dChannels {
  c10::intrusive_ptr<Group> prompt;
  c10::intrusive_ptr<Group> bulk;  ///< for what takes long, while others go through `prompt`
};

/// What the two libraries are asked for alike.
template <class Group>
class C10dGroup : public RankGroup {
 public:
  C10dGroup(const RankPlace& place, c10::Device device, Milliseconds timeout,
            C10dChannels<Group> channels)
      : RankGroup(place.rank, place.size),
        place_(place),
        device_(device),
        timeout_(timeout),
        channels_(std::move(channels)) {}

  void sum(std::vector<at::Tensor> tensors) override { sum_by(channels_.prompt, tensors)->wait(); }

  std::unique_ptr<RankWork> start_sum(std::vector<at::Tensor> tensors) override {
    return sum_by(channels_.bulk, tensors);
  }

  void share_first(std::vector<at::Tensor> tensors) override {
    C10dWork<Group> work(place_, device_, timeout_);
    work.start(tensors,
               [this](std::vector<at::Tensor>& one) { return channels_.prompt->broadcast(one); });
    work.wait();
  }

 protected:
  const RankPlace& place() const { return place_; }
  Milliseconds timeout() const { return timeout_; }

 private:
  RankPlace place_;
  c10::Device device_;
  Milliseconds timeout_;
  C10dChannels<Group> channels_;

  std::unique_ptr<RankWork> sum_by(const c10::intrusive_ptr<Group>& channel,
                                   const std::vector<at::Tensor>& tensors) {
    auto work = std::make_unique<C10dWork<Group>>(place_, device_, timeout_);
    work->start(tensors, [&](std::vector<at::Tensor>& one) { return channel->allreduce(one); });
    return work;
  }
};

#ifdef CUBCAL_GLOO
/// Where all ranks are of one machine, a few numbers go through memory they share.
class GlooGroup : public C10dGroup<c10d::ProcessGroupGloo> {
 public:
  GlooGroup(const RankPlace& place, Milliseconds timeout,
            C10dChannels<c10d::ProcessGroupGloo> channels)
      : C10dGroup(place, c10::Device(c10::DeviceType::CPU), timeout, std::move(channels)) {
    if (place.size > 1) meet_in_memory();
  }

  std::string backend() const override {
    return shared_ == nullptr ? "gloo" : "gloo and shared memory";
  }

  void sum(std::vector<at::Tensor> tensors) override {
    std::vector<at::Tensor> large;
    for (const at::Tensor& tensor : tensors) {
      if (!sum_in_memory(tensor)) large.push_back(tensor);
    }
    if (!large.empty()) C10dGroup::sum(std::move(large));
  }

 private:
  std::unique_ptr<SharedSums> shared_;  ///< null where ranks are of several machines

  void meet_in_memory() {
    std::unique_ptr<SharedSums> found = is_first() ? SharedSums::make(size()) : nullptr;
    const std::string address = text_of_first(found == nullptr ? "" : found->address());
    if (!is_first()) found = SharedSums::open(address, rank(), size());
    if (!any(found == nullptr)) shared_ = std::move(found);
  }

  bool sum_in_memory(const at::Tensor& tensor) {
    if (shared_ == nullptr || !tensor.is_cpu() || tensor.nbytes() > SharedSums::kMostBytes) {
      return false;
    }
    const auto count = static_cast<std::size_t>(tensor.numel());
    return or_lost(place(), [&] {
      if (tensor.scalar_type() == at::kFloat) {
        shared_->sum(tensor.data_ptr<float>(), count, timeout());
      } else if (tensor.scalar_type() == at::kDouble) {
        shared_->sum(tensor.data_ptr<double>(), count, timeout());
      } else {
        return false;
      }
      return true;
    });
  }
};

c10::intrusive_ptr<c10d::ProcessGroupGloo::Options> gloo_options(const RankPlace& place,
                                                                 Milliseconds timeout) {
  auto options = c10d::ProcessGroupGloo::Options::create(timeout);
  const char* named = std::getenv("GLOO_SOCKET_IFNAME");
  const std::string own = local_address_towards(place.address, place.port);
  options->devices.push_back(named != nullptr
                                 ? c10d::ProcessGroupGloo::createDeviceForInterface(named)
                             : own.empty() ? c10d::ProcessGroupGloo::createDefaultDevice()
                                           : c10d::ProcessGroupGloo::createDeviceForHostname(own));
  return options;
}

std::unique_ptr<RankGroup> gloo_group(const RankPlace& place, Milliseconds timeout) {
  const c10::intrusive_ptr<c10d::Store> store = meeting_point(place, timeout);
  const auto channel = [&](const char* name) {
    return c10::make_intrusive<c10d::ProcessGroupGloo>(
        c10::make_intrusive<c10d::PrefixStore>(name, store), place.rank, place.size,
        gloo_options(place, timeout));
  };
  C10dChannels<c10d::ProcessGroupGloo> channels{channel("prompt"), channel("bulk")};
  return std::make_unique<GlooGroup>(place, timeout, std::move(channels));
}
#endif

#ifdef CUBCAL_NCCL
/// What NCCL is asked for follows one stream; two at once might wait for each other.
class NcclGroup : public C10dGroup<c10d::ProcessGroupNCCL> {
 public:
  using C10dGroup::C10dGroup;
  std::string backend() const override { return "nccl"; }
};

std::unique_ptr<RankGroup> nccl_group(const RankPlace& place, c10::Device device,
                                      Milliseconds timeout) {
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  const auto only = c10::make_intrusive<c10d::ProcessGroupNCCL>(meeting_point(place, timeout),
                                                                place.rank, place.size, options);
  return std::make_unique<NcclGroup>(place, device, timeout,
                                     C10dChannels<c10d::ProcessGroupNCCL>{only, only});
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
