#include <ATen/ATen.h>

#include <vector>

#include "cubcal_nn/models/conv_options.h"
#include "cubcal_nn/models/head.h"
#include "cubcal_nn/models/networks.h"

namespace cubcal {

namespace {

constexpr std::int64_t kGrowth = 32;
constexpr std::int64_t kBottleneck = 4 * kGrowth;
constexpr std::int64_t kStemChannels = 64;

class DenseLayer {
 public:
  DenseLayer(LayerFactory& layers, const std::string& path, std::int64_t in)
      : norm_(layers.batch_norm(path + ".norm1", in)),
        reduce_(layers.conv_norm(path + ".conv1", conv_before_norm(in, kBottleneck, 1),
                                 path + ".norm2")),
        grow_(layers.conv2d(path + ".conv2", conv_before_norm(kBottleneck, kGrowth, 3))) {}

  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const {
    return grow_(reduce_.relu(norm_(x, context).relu(), context), context);
  }

 private:
  BatchNorm2d norm_;
  ConvNorm reduce_;
  Conv2d grow_;
};

/// Norm - ReLU - 1x1 to half the channels - average of 2 x 2.
class Transition {
 public:
  Transition(LayerFactory& layers, const std::string& path, std::int64_t in)
      : norm_(layers.batch_norm(path + ".norm", in)),
        halve_(layers.conv2d(path + ".conv", conv_before_norm(in, in / 2, 1))) {}

  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const {
    return at::avg_pool2d(halve_(norm_(x, context).relu(), context), 2);
  }

 private:
  BatchNorm2d norm_;
  Conv2d halve_;
};

class DenseNet : public Network {
 public:
  DenseNet(const NetworkOptions& options, const std::vector<int>& layers_of_blocks)
      : Network("densenet121", options),
        stem_(layers().conv_norm("features.conv0",
                                 conv_before_norm(options.channels, kStemChannels, 7, 2),
                                 "features.norm0")),
        channels_(make_blocks(layers_of_blocks)),
        last_norm_(layers().batch_norm("features.norm5", channels_)),
        head_(layers(), {"classifier", channels_, 0.2}, options.classes) {
    finish({"stage1", "stage2", "stage3", "stage4", "penultimate"});
  }

 protected:
  at::Tensor run_trunk(const at::Tensor& images, const ForwardContext& context,
                       Features* features) const override {
    at::Tensor x = max_pool(stem_.relu(images, context), {3, 2, 1}, context);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (const DenseLayer& layer : blocks_[b]) x = at::cat({x, layer(x, context)}, 1);
      if (b == transitions_.size()) break;
      if (features != nullptr) features->taps.push_back(x.mean({2, 3}));
      x = transitions_[b](x, context);
    }
    at::Tensor pooled = last_norm_(x, context).relu().mean({2, 3});
    if (features != nullptr) features->taps.push_back(pooled);
    return pooled;
  }

  at::Tensor run_head(const at::Tensor& trunk_output, const ForwardContext& context,
                      Features* features) const override {
    return head_(trunk_output, context, features);
  }

 private:
  /// Gives the channels at the end.
  std::int64_t make_blocks(const std::vector<int>& layers_of_blocks) {
    std::int64_t channels = kStemChannels;
    for (std::size_t b = 0; b < layers_of_blocks.size(); ++b) {
      const std::string number = std::to_string(b + 1);
      blocks_.emplace_back();
      for (int i = 1; i <= layers_of_blocks[b]; ++i) {
        blocks_.back().emplace_back(
            layers(), "features.denseblock" + number + ".denselayer" + std::to_string(i), channels);
        channels += kGrowth;
      }
      if (b + 1 == layers_of_blocks.size()) break;
      transitions_.emplace_back(layers(), "features.transition" + number, channels);
      channels /= 2;
    }
    return channels;
  }

  ConvNorm stem_;
  std::vector<std::vector<DenseLayer>> blocks_;
  std::vector<Transition> transitions_;
  std::int64_t channels_;
  BatchNorm2d last_norm_;
  Head head_;
};

}  // namespace

std::unique_ptr<Network> make_densenet121(const NetworkOptions& options) {
  return std::make_unique<DenseNet>(options, std::vector<int>{6, 12, 24, 16});
}

}  // namespace cubcal
