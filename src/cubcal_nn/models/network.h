#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cubcal_nn/bayes/forward_context.h"
#include "cubcal_nn/bayes/layer_factory.h"
#include "cubcal_nn/bayes/parameter_store.h"
#include "cubcal_nn/bayes/weight_passes.h"

namespace cubcal {

/// What follows the averaged features. Own: the network's own, for the residual networks the
/// paper's hidden layer. Linear: dropout and one linear layer, as torchvision and timm have it.
enum class HeadKind { kOwn, kLinear };

/// "own" or "linear"; anything else throws ArgumentError.
HeadKind parse_head_kind(const std::string& name);
const char* head_kind_name(HeadKind kind);

struct NetworkOptions {
  std::int64_t classes = 2;
  std::int64_t channels = 3;  ///< of the images
  std::int64_t height = 224;  ///< of the images; the head of some networks is made for it
  std::int64_t width = 224;
  LayerKind kind = LayerKind::kDeterministic;
  std::optional<double>
      dropout_rate;  ///< of an MC-dropout network: replaces the network's own rates
  HeadKind head = HeadKind::kOwn;
  std::size_t members = 0;  ///< of an ensemble; 0: the network is none
  std::uint64_t seed = 0;   ///< of the initial weights
  c10::ScalarType dtype = c10::ScalarType::Float;
  c10::Device device = c10::Device(c10::DeviceType::CPU);
};

/// Features of one forward pass for OOD detection, each [B, D]: the output of every stage averaged
/// over the image, then the input of the last linear layer (before dropout).
struct Features {
  std::vector<at::Tensor> taps;  ///< in the order of Network::feature_names()
};

/// What a network is made of besides its tensors.
struct NetworkFile {
  std::string sha256;
  std::shared_ptr<const std::string> bytes;
};

/// A classifier: images [B, channels, height, width] -> logits [B, classes].
class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const std::string& name() const { return name_; }
  const NetworkOptions& options() const { return options_; }
  ParameterStore& parameters() { return store_; }
  const ParameterStore& parameters() const { return store_; }
  /// Everything that makes up the network, by name, and filling it again: its parameters'.
  virtual NamedTensors tensors() const { return store_.named_tensors(); }
  virtual TransferReport fill(const NamedTensors& tensors) { return transfer(tensors, store_); }
  virtual std::vector<NetworkFile> files() const { return {}; }
  /// Of an ensemble, whose pass s is its member s; else 0.
  virtual std::size_t members() const { return 0; }
  /// "stage1", ..., "penultimate".
  const std::vector<std::string>& feature_names() const { return feature_names_; }

  /// Throws ArgumentError where the images have another shape, type or device than the network.
  /// (bfloat16 images go with the bfloat16 weights of FusedWeights.)
  at::Tensor forward(const at::Tensor& images, const ForwardContext& context,
                     Features* features = nullptr) const;

  /// The two halves of forward: the trunk has no dropout, so that MC dropout runs it once and only
  /// the head per pass. Each appends its taps: the trunk the stages, the head the penultimate.
  at::Tensor trunk(const at::Tensor& images, const ForwardContext& context,
                   Features* features = nullptr) const;
  at::Tensor head(const at::Tensor& trunk_output, const ForwardContext& context,
                  Features* features = nullptr) const;
  std::uint32_t dropout_layers() const { return factory_.dropout_layers(); }
  /// Whether the trunk gives the same output in every prediction pass (deterministic, MC dropout).
  bool trunk_is_deterministic() const {
    return options_.kind != LayerKind::kVariational && options_.kind != LayerKind::kEnsemble;
  }

  /// Mean weights, no dropout: the deterministic prediction. (Training goes through WeightPasses
  /// for every kind of network, so that dropout has its key.)
  ForwardContext mean_context() const;
  /// The pass in `slot`, in the network's own mode: sampled weights for a variational network, MC
  /// dropout for a dropout network, keyed by passes.key(slot).
  ForwardContext context(const WeightPasses& passes, std::size_t slot, bool training = false) const;

 protected:
  Network(std::string name, const NetworkOptions& options);

  LayerFactory& layers() { return factory_; }
  /// Called at the end of a constructor, after the last layer was made.
  void finish(std::vector<std::string> feature_names);

  virtual at::Tensor run_trunk(const at::Tensor& images, const ForwardContext& context,
                               Features* features) const = 0;
  virtual at::Tensor run_head(const at::Tensor& trunk_output, const ForwardContext& context,
                              Features* features) const = 0;

 private:
  std::string name_;
  NetworkOptions options_;
  ParameterStore store_;
  LayerFactory factory_;
  std::vector<std::string> feature_names_;
};

}  // namespace cubcal
