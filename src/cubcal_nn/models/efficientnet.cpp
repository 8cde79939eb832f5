#include <ATen/ATen.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "cubcal_nn/models/conv_options.h"
#include "cubcal_nn/models/head.h"
#include "cubcal_nn/models/networks.h"

namespace cubcal {

namespace {

struct BlockDesign {
  std::int64_t expansion, kernel, stride, in, out;
};

struct StageDesign {
  BlockDesign first;
  int blocks;
};

Conv2dOptions depthwise_before_norm(std::int64_t channels, std::int64_t kernel,
                                    std::int64_t stride) {
  Conv2dOptions options = conv_before_norm(channels, channels, kernel, stride);
  options.groups = channels;
  return options;
}

/// Scales each channel by what a bottleneck of two 1x1 convolutions makes of all channels' means.
class SqueezeExcitation {
 public:
  SqueezeExcitation(LayerFactory& layers, const std::string& path, std::int64_t channels,
                    std::int64_t squeezed)
      : squeeze_(layers.conv2d(path + ".fc1", pointwise(channels, squeezed))),
        excite_(layers.conv2d(path + ".fc2", pointwise(squeezed, channels))) {}

  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const {
    const at::Tensor squeezed = at::silu(squeeze_(x.mean({2, 3}, /*keepdim=*/true), context));
    return x * at::sigmoid(excite_(squeezed, context));
  }

 private:
  static Conv2dOptions pointwise(std::int64_t in, std::int64_t out) {
    Conv2dOptions options = conv_before_norm(in, out, 1);
    options.bias = true;
    return options;
  }

  Conv2d squeeze_, excite_;
};

/// 1x1 to more channels, depthwise, squeeze and excitation, 1x1 to fewer, beside a shortcut where
/// the shape stays.
class InvertedResidual {
 public:
  InvertedResidual(LayerFactory& layers, const std::string& path, const BlockDesign& design)
      : path_(path + ".block."),
        shape_stays_(design.stride == 1 && design.in == design.out),
        expand_(make_expansion(layers, design)),
        depthwise_(next_conv(layers, depthwise_before_norm(design.in * design.expansion,
                                                           design.kernel, design.stride))),
        excitation_(layers, path_ + std::to_string(next_++), design.in * design.expansion,
                    std::max<std::int64_t>(1, design.in / 4)),
        project_(next_conv(layers, conv_before_norm(design.in * design.expansion, design.out, 1))) {
  }

  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const {
    const at::Tensor wide = expand_ ? at::silu((*expand_)(x, context)) : x;
    const at::Tensor filtered = at::silu(depthwise_(wide, context));
    const at::Tensor y = project_(excitation_(filtered, context), context);
    return shape_stays_ ? y + x : y;
  }

 private:
  ConvNorm next_conv(LayerFactory& layers, const Conv2dOptions& options) {
    const std::string path = path_ + std::to_string(next_++);
    return layers.conv_norm(path + ".0", options, path + ".1");
  }

  std::optional<ConvNorm> make_expansion(LayerFactory& layers, const BlockDesign& design) {
    if (design.expansion == 1) return std::nullopt;
    return next_conv(layers, conv_before_norm(design.in, design.in * design.expansion, 1));
  }

  std::string path_;
  int next_ = 0;
  bool shape_stays_;
  std::optional<ConvNorm> expand_;
  ConvNorm depthwise_;
  SqueezeExcitation excitation_;
  ConvNorm project_;
};

const std::vector<StageDesign>& stages_of_b0() {
  static const std::vector<StageDesign> stages = {{{1, 3, 1, 32, 16}, 1},  {{6, 3, 2, 16, 24}, 2},
                                                  {{6, 5, 2, 24, 40}, 2},  {{6, 3, 2, 40, 80}, 3},
                                                  {{6, 5, 1, 80, 112}, 3}, {{6, 5, 2, 112, 192}, 4},
                                                  {{6, 3, 1, 192, 320}, 1}};
  return stages;
}

constexpr std::int64_t kLastChannels = 1280;

class EfficientNet : public Network {
 public:
  explicit EfficientNet(const NetworkOptions& options)
      : Network("efficientnet-b0", options),
        stem_(layers().conv_norm("features.0.0", conv_before_norm(options.channels, 32, 3, 2),
                                 "features.0.1")),
        stages_(make_stages(layers())),
        last_(layers().conv_norm("features.8.0", conv_before_norm(320, kLastChannels, 1),
                                 "features.8.1")),
        head_(layers(), {"classifier.1", kLastChannels, 0.2}, options.classes) {
    finish({"stage1", "stage2", "stage3", "stage4", "stage5", "stage6", "stage7", "penultimate"});
  }

 protected:
  at::Tensor run_trunk(const at::Tensor& images, const ForwardContext& context,
                       Features* features) const override {
    at::Tensor x = at::silu(stem_(images, context));
    for (const Stage& stage : stages_) {
      for (const InvertedResidual& block : stage) x = block(x, context);
      if (features != nullptr) features->taps.push_back(x.mean({2, 3}));
    }
    return at::silu(last_(x, context)).mean({2, 3});
  }

  at::Tensor run_head(const at::Tensor& trunk_output, const ForwardContext& context,
                      Features* features) const override {
    return head_(trunk_output, context, features);
  }

 private:
  using Stage = std::vector<InvertedResidual>;

  static std::vector<Stage> make_stages(LayerFactory& layers) {
    std::vector<Stage> stages;
    for (const StageDesign& design : stages_of_b0()) {
      const std::string path = "features." + std::to_string(stages.size() + 1) + ".";
      BlockDesign block = design.first;
      Stage stage;
      for (int i = 0; i < design.blocks; ++i) {
        stage.emplace_back(layers, path + std::to_string(i), block);
        block.in = block.out;
        block.stride = 1;
      }
      stages.push_back(std::move(stage));
    }
    return stages;
  }

  ConvNorm stem_;
  std::vector<Stage> stages_;
  ConvNorm last_;
  Head head_;
};

}  // namespace

std::unique_ptr<Network> make_efficientnet_b0(const NetworkOptions& options) {
  return std::make_unique<EfficientNet>(options);
}

}  // namespace cubcal
