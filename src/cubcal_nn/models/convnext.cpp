#include <ATen/ATen.h>

#include <vector>

#include "cubcal/core/check.h"
#include "cubcal_nn/models/head.h"
#include "cubcal_nn/models/networks.h"
#include "cubcal_nn/models/rows.h"

namespace cubcal {

namespace {

constexpr double kFirstScale = 1e-6;

Conv2dOptions patches_of(std::int64_t in, std::int64_t out, std::int64_t side) {
  Conv2dOptions options;
  options.in_channels = in;
  options.out_channels = out;
  options.kernel = options.stride = side;
  options.before_relu = false;
  return options;
}

Conv2dOptions depthwise_7x7(std::int64_t channels) {
  Conv2dOptions options;
  options.in_channels = options.out_channels = options.groups = channels;
  options.kernel = 7;
  options.padding = 3;
  options.before_relu = false;
  return options;
}

class ConvNextBlock {
 public:
  ConvNextBlock(LayerFactory& layers, const std::string& path, std::int64_t channels)
      : filter_(layers.conv2d(path + ".block.0", depthwise_7x7(channels))),
        norm_(layers.layer_norm(path + ".block.2", channels)),
        widen_(layers.linear(path + ".block.3", channels, 4 * channels)),
        narrow_(layers.linear(path + ".block.5", 4 * channels, channels)),
        scale_(layers.point_weights(path + ".layer_scale", {channels, 1, 1},
                                    {Initialisation::Law::kConstant, kFirstScale})) {}

  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const {
    const at::Tensor y = norm_(filter_(x, context).permute({0, 2, 3, 1}), context);
    const at::Tensor wide = at::gelu(by_rows(widen_, y, context));
    const at::Tensor change = by_rows(narrow_, wide, context).permute({0, 3, 1, 2});
    return x + change * scale_.like(change, context);
  }

 private:
  Conv2d filter_;
  LayerNorm norm_;
  Linear widen_, narrow_;
  PointWeights scale_;
};

/// Layer norm, then a convolution of 2 x 2 patches that lie side by side.
class Downsampling {
 public:
  Downsampling(LayerFactory& layers, const std::string& path, std::int64_t in, std::int64_t out)
      : norm_(layers.layer_norm(path + ".0", in)),
        convolution_(layers.conv2d(path + ".1", patches_of(in, out, 2))) {}

  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const {
    return convolution_(norm_.over_channels(x, context), context);
  }

 private:
  LayerNorm norm_;
  Conv2d convolution_;
};

const std::vector<std::int64_t> kConvNextWidths = {96, 192, 384, 768};
const std::vector<int> kBlocksOfConvNext = {3, 3, 9, 3};

class ConvNext : public Network {
 public:
  explicit ConvNext(const NetworkOptions& options)
      : Network("convnext-tiny", options),
        stem_(layers().conv2d("features.0.0",
                              patches_of(checked(options).channels, kConvNextWidths[0], 4))),
        stem_norm_(layers().layer_norm("features.0.1", kConvNextWidths[0])) {
    for (std::size_t i = 0; i < kConvNextWidths.size(); ++i) {
      const std::string path = "features." + std::to_string(2 * i + 1) + ".";
      if (i > 0) {
        downsamplings_.emplace_back(layers(), "features." + std::to_string(2 * i),
                                    kConvNextWidths[i - 1], kConvNextWidths[i]);
      }
      stages_.emplace_back();
      for (int j = 0; j < kBlocksOfConvNext[i]; ++j) {
        stages_.back().emplace_back(layers(), path + std::to_string(j), kConvNextWidths[i]);
      }
    }
    last_norm_.emplace(layers().layer_norm("classifier.0", kConvNextWidths.back()));
    head_.emplace(layers(), HeadDesign{"classifier.2", kConvNextWidths.back(), 0.1},
                  options.classes);
    finish({"stage1", "stage2", "stage3", "stage4", "penultimate"});
  }

 protected:
  at::Tensor run_trunk(const at::Tensor& images, const ForwardContext& context,
                       Features* features) const override {
    at::Tensor x = stem_norm_.over_channels(stem_(images, context), context);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      if (i > 0) x = downsamplings_[i - 1](x, context);
      for (const ConvNextBlock& block : stages_[i]) x = block(x, context);
      if (features != nullptr) features->taps.push_back(x.mean({2, 3}));
    }
    return (*last_norm_)(x.mean({2, 3}), context);
  }

  at::Tensor run_head(const at::Tensor& trunk_output, const ForwardContext& context,
                      Features* features) const override {
    return (*head_)(trunk_output, context, features);
  }

 private:
  static const NetworkOptions& checked(const NetworkOptions& options) {
    for (const std::int64_t side : {options.height, options.width}) {
      check_at_least("an image side for convnext-tiny", static_cast<double>(side), 32);
    }
    return options;
  }

  Conv2d stem_;
  LayerNorm stem_norm_;
  std::vector<Downsampling> downsamplings_;
  std::vector<std::vector<ConvNextBlock>> stages_;
  std::optional<LayerNorm> last_norm_;
  std::optional<Head> head_;
};

}  // namespace

std::unique_ptr<Network> make_convnext_tiny(const NetworkOptions& options) {
  return std::make_unique<ConvNext>(options);
}

}  // namespace cubcal
