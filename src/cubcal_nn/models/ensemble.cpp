#include "cubcal_nn/models/ensemble.h"

#include <ATen/ATen.h>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"

namespace cubcal {

namespace {

std::string member_prefix(std::size_t index) { return "member" + std::to_string(index + 1) + "."; }

class Ensemble : public Network {
 public:
  Ensemble(const NetworkOptions& options, std::vector<std::unique_ptr<Network>> members)
      : Network(members.front()->name(), options), members_(std::move(members)) {
    finish(members_.front()->feature_names());
  }

  std::size_t members() const override { return members_.size(); }

  NamedTensors tensors() const override {
    NamedTensors all;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      for (auto& [name, tensor] : members_[i]->tensors()) {
        all.emplace_back(member_prefix(i) + name, tensor);
      }
    }
    return all;
  }

  TransferReport fill(const NamedTensors& tensors) override {
    TransferReport whole;
    std::size_t taken = 0;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const std::string prefix = member_prefix(i);
      NamedTensors own;
      for (const auto& [name, tensor] : tensors) {
        if (starts_with(name, prefix)) own.emplace_back(name.substr(prefix.size()), tensor);
      }
      taken += own.size();
      const TransferReport report = members_[i]->fill(own);
      for (const auto& each : report.missing) whole.missing.push_back(prefix + each);
      for (const auto& each : report.unexpected) whole.unexpected.push_back(prefix + each);
      for (const auto& each : report.misshapen) whole.misshapen.push_back(prefix + each);
    }
    if (taken != tensors.size()) {
      whole.unexpected.push_back(std::to_string(tensors.size() - taken) + " tensors of no member");
    }
    return whole;
  }

  std::vector<NetworkFile> files() const override {
    std::vector<NetworkFile> all;
    for (const auto& member : members_) {
      for (NetworkFile& file : member->files()) all.push_back(std::move(file));
    }
    return all;
  }

 private:
  at::Tensor run_trunk(const at::Tensor& images, const ForwardContext& context,
                       Features* features) const override {
    const std::size_t index = context.noise.pass;
    if (index >= members_.size()) {
      throw ArgumentError("there is no pass " + std::to_string(index) + " of an ensemble of " +
                          std::to_string(members_.size()));
    }
    const Network& member = *members_[index];
    return member.forward(images, member.mean_context(), features);
  }

  at::Tensor run_head(const at::Tensor& logits, const ForwardContext& /*context*/,
                      Features* /*features*/) const override {
    return logits;
  }

  std::vector<std::unique_ptr<Network>> members_;
};

}  // namespace

NetworkOptions member_options(NetworkOptions ensemble) {
  ensemble.kind = LayerKind::kDeterministic;
  ensemble.members = 0;
  return ensemble;
}

std::unique_ptr<Network> make_ensemble(const NetworkOptions& options,
                                       std::vector<std::unique_ptr<Network>> members) {
  if (members.size() != options.members || members.size() < 2) {
    throw ArgumentError("an ensemble has two members or more, and as many as its options say");
  }
  for (const auto& member : members) {
    const NetworkOptions& own = member->options();
    if (own.kind != LayerKind::kDeterministic || own.classes != options.classes ||
        own.channels != options.channels || own.height != options.height ||
        own.width != options.width || own.device != options.device ||
        member->feature_names() != members.front()->feature_names()) {
      throw ArgumentError(
          "the members of an ensemble are deterministic and agree in images, classes and features");
    }
  }
  return std::make_unique<Ensemble>(options, std::move(members));
}

}  // namespace cubcal
