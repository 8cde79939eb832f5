#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "cubcal_nn/bayes/residual_chain.h"
#include "cubcal_nn/models/conv_options.h"
#include "cubcal_nn/models/head.h"
#include "cubcal_nn/models/networks.h"

namespace cubcal {

namespace {

enum class BlockKind {
  kBasic,
  kBottleneck,   ///< strides in the 3x3 convolution, as torchvision does
  kBottleneckV1  ///< strides in the first 1x1 convolution, as He et al. and Keras do
};

struct ResNetDesign {
  BlockKind block;
  std::vector<int> blocks;           ///< per stage
  std::vector<std::int64_t> widths;  ///< channels inside the blocks, per stage
  std::int64_t stem_kernel;
  bool stem_pool;
  std::int64_t head_width;
  double head_dropout;
};

/// Two 3x3 convolutions, or 1x1 - 3x3 - 1x1 with four times the channels at the end, beside a
/// shortcut that is a 1x1 convolution where the shape changes.
class ResidualBlock {
 public:
  ResidualBlock(LayerFactory& layers, const std::string& path, BlockKind kind,
                std::int64_t in_channels, std::int64_t width, std::int64_t stride) {
    const bool bottleneck = kind != BlockKind::kBasic;
    const bool stride_first = kind == BlockKind::kBottleneckV1;
    const auto add = [&](std::int64_t in, std::int64_t out, std::int64_t kernel,
                         std::int64_t step) {
      const std::string number = std::to_string(convolutions_.size() + 1);
      convolutions_.push_back(layers.conv_norm(
          path + ".conv" + number, conv_before_norm(in, out, kernel, step), path + ".bn" + number));
    };
    out_channels_ = bottleneck ? 4 * width : width;
    if (bottleneck) {
      add(in_channels, width, 1, stride_first ? stride : 1);
      add(width, width, 3, stride_first ? 1 : stride);
      add(width, out_channels_, 1, 1);
    } else {
      add(in_channels, width, 3, stride);
      add(width, width, 3, 1);
    }
    if (stride != 1 || in_channels != out_channels_) {
      shortcut_.emplace(layers.conv_norm(path + ".downsample.0",
                                         conv_before_norm(in_channels, out_channels_, 1, stride),
                                         path + ".downsample.1"));
    }
  }

  std::int64_t out_channels() const { return out_channels_; }

  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const {
    at::Tensor y = x;
    for (std::size_t i = 0; i + 1 < convolutions_.size(); ++i)
      y = convolutions_[i].relu(y, context);
    const at::Tensor base = shortcut_ ? (*shortcut_)(x, context) : x;
    return convolutions_.back().add_relu(y, base, context);
  }

  ResidualLayers in_step(const ForwardContext& context) const {
    ResidualLayers block;
    for (const ConvNorm& convolution : convolutions_) {
      block.layers.push_back(convolution.in_step(context));
    }
    if (shortcut_) block.shortcut = shortcut_->in_step(context);
    return block;
  }

 private:
  std::vector<ConvNorm> convolutions_;
  std::optional<ConvNorm> shortcut_;
  std::int64_t out_channels_ = 0;
};

class ResNet : public Network {
 public:
  ResNet(std::string name, const NetworkOptions& options, const ResNetDesign& design)
      : Network(std::move(name), options),
        stem_(layers().conv_norm(
            "conv1", conv_before_norm(options.channels, design.widths[0], design.stem_kernel, 2),
            "bn1")),
        stem_pool_(design.stem_pool),
        stages_(make_stages(layers(), design)),
        head_(layers(), head_design(options, design, stages_.back().back().out_channels()),
              options.classes) {
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= stages_.size(); ++i) names.push_back("stage" + std::to_string(i));
    names.emplace_back("penultimate");
    finish(std::move(names));
  }

 protected:
  at::Tensor run_trunk(const at::Tensor& images, const ForwardContext& context,
                       Features* features) const override {
    at::Tensor x = run_stem(images, context);
    at::Tensor pooled;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      x = run_stage(stages_[i], x, context);
      const bool last = i + 1 == stages_.size();
      if (features != nullptr || last) pooled = x.mean({2, 3});
      if (features != nullptr) features->taps.push_back(pooled);
    }
    return pooled;
  }

  at::Tensor run_head(const at::Tensor& trunk_output, const ForwardContext& context,
                      Features* features) const override {
    return head_(trunk_output, context, features);
  }

 private:
  using Stage = std::vector<ResidualBlock>;

  at::Tensor run_stem(const at::Tensor& images, const ForwardContext& context) const {
    if (!stem_pool_) return stem_.relu(images, context);
    if (context.training && context.norm_statistics.defined()) {
      return norm_relu_pool(stem_.products(images, context), stem_.in_step(context).norm);
    }
    return max_pool(stem_.relu(images, context), {3, 2, 1}, context);
  }

  static at::Tensor run_stage(const Stage& stage, at::Tensor x, const ForwardContext& context) {
    if (context.training && context.norm_statistics.defined()) {
      std::vector<ResidualLayers> blocks;
      for (const ResidualBlock& block : stage) blocks.push_back(block.in_step(context));
      return residual_chain(x, std::move(blocks));
    }
    for (const ResidualBlock& block : stage) x = block(x, context);
    return x;
  }

  static HeadDesign head_design(const NetworkOptions& options, const ResNetDesign& design,
                                std::int64_t features) {
    if (options.head == HeadKind::kLinear) return {"fc", features, design.head_dropout};
    return {"fc.3", features, design.head_dropout, HiddenLayer{"fc.0", design.head_width}};
  }

  static std::vector<Stage> make_stages(LayerFactory& layers, const ResNetDesign& design) {
    std::vector<Stage> stages;
    std::int64_t channels = design.widths[0];
    for (std::size_t i = 0; i < design.blocks.size(); ++i) {
      Stage stage;
      for (int j = 0; j < design.blocks[i]; ++j) {
        const std::string path = "layer" + std::to_string(i + 1) + "." + std::to_string(j);
        const std::int64_t stride = i > 0 && j == 0 ? 2 : 1;
        stage.emplace_back(layers, path, design.block, channels, design.widths[i], stride);
        channels = stage.back().out_channels();
      }
      stages.push_back(std::move(stage));
    }
    return stages;
  }

  ConvNorm stem_;
  bool stem_pool_;
  std::vector<Stage> stages_;
  Head head_;
};

}  // namespace

std::unique_ptr<Network> make_resnet18(const NetworkOptions& options) {
  return std::make_unique<ResNet>(
      "resnet18", options,
      ResNetDesign{BlockKind::kBasic, {2, 2, 2, 2}, {64, 128, 256, 512}, 7, true, 128, 0.1});
}

std::unique_ptr<Network> make_resnet34(const NetworkOptions& options) {
  return std::make_unique<ResNet>(
      "resnet34", options,
      ResNetDesign{BlockKind::kBasic, {3, 4, 6, 3}, {64, 128, 256, 512}, 7, true, 128, 0.1});
}

std::unique_ptr<Network> make_resnet50(const NetworkOptions& options) {
  return std::make_unique<ResNet>(
      "resnet50", options,
      ResNetDesign{BlockKind::kBottleneck, {3, 4, 6, 3}, {64, 128, 256, 512}, 7, true, 512, 0.3});
}

std::unique_ptr<Network> make_resnet50_v1(const NetworkOptions& options) {
  return std::make_unique<ResNet>(
      "resnet50-v1", options,
      ResNetDesign{BlockKind::kBottleneckV1, {3, 4, 6, 3}, {64, 128, 256, 512}, 7, true, 512, 0.3});
}

std::unique_ptr<Network> make_resnet101(const NetworkOptions& options) {
  return std::make_unique<ResNet>(
      "resnet101", options,
      ResNetDesign{BlockKind::kBottleneck, {3, 4, 23, 3}, {64, 128, 256, 512}, 7, true, 512, 0.3});
}

std::unique_ptr<Network> make_small_resnet(const NetworkOptions& options) {
  return std::make_unique<ResNet>(
      "small-resnet", options,
      ResNetDesign{BlockKind::kBasic, {1, 1, 1}, {16, 32, 64}, 5, false, 32, 0.1});
}

}  // namespace cubcal
