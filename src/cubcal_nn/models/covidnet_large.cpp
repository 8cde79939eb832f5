#include <ATen/ATen.h>

#include <string>
#include <vector>

#include "cubcal/core/check.h"
#include "cubcal_nn/models/networks.h"

namespace cubcal {

namespace {

Conv2dOptions convolution(std::int64_t in, std::int64_t out, std::int64_t kernel) {
  Conv2dOptions options;
  options.in_channels = in;
  options.out_channels = out;
  options.kernel = kernel;
  options.padding = kernel / 2;
  options.before_relu = false;
  return options;
}

Conv2dOptions depthwise(std::int64_t channels) {
  Conv2dOptions options = convolution(channels, channels, 3);
  options.groups = channels;
  return options;
}

Conv2dOptions stem(std::int64_t channels) {
  Conv2dOptions options = convolution(channels, 56, 7);
  options.stride = 2;
  options.before_relu = true;
  return options;
}

at::Tensor halve(const at::Tensor& x, const ForwardContext& context) {
  return max_pool(x, {2, 2}, context);
}

/// No activation inside.
class Pepx {
 public:
  Pepx(LayerFactory& layers, const std::string& path, std::int64_t in, std::int64_t out)
      : convolutions_{layers.conv2d(path + ".0", convolution(in, in / 2, 1)),
                      layers.conv2d(path + ".1", convolution(in / 2, 3 * in / 4, 1)),
                      layers.conv2d(path + ".2", depthwise(3 * in / 4)),
                      layers.conv2d(path + ".3", convolution(3 * in / 4, in / 2, 1))},
        last_(layers.conv_norm(path + ".4", convolution(in / 2, out, 1), path + ".5")) {}

  at::Tensor operator()(const at::Tensor& x, const ForwardContext& context) const {
    at::Tensor y = x;
    for (const Conv2d& conv : convolutions_) y = conv(y, context);
    return last_(y, context);
  }

 private:
  std::vector<Conv2d> convolutions_;
  ConvNorm last_;
};

/// The shortcut k and the units p1, p2, ... of one stage.
class Stage {
 public:
  Stage(LayerFactory& layers, int number, std::int64_t in, std::int64_t out, int units)
      : first_(number == 1),
        shortcut_(
            layers.conv2d("conv" + std::to_string(number) + "_1x1", convolution(in, out, 1))) {
    for (int unit = 1; unit <= units; ++unit) {
      const std::string path = "pepx" + std::to_string(number) + "_" + std::to_string(unit);
      units_.emplace_back(layers, path, unit == 1 ? in : out, out);
    }
  }

  /// Sum of the units' outputs and the shortcut. For all but the first stage `x` is that sum of the
  /// stage before and `halved` the sum of its halved addends: max pooling does not commute with
  /// addition, so both are needed. `next_halved` receives the latter of this stage.
  at::Tensor operator()(const at::Tensor& x, const at::Tensor& halved,
                        const ForwardContext& context, at::Tensor* next_halved) const {
    const at::Tensor projected = shortcut_(x, context);
    const at::Tensor k = first_ ? projected : halve(projected, context);
    at::Tensor unit = units_[0](first_ ? x : halved, context);
    at::Tensor sum = k + unit;
    if (next_halved != nullptr) *next_halved = halve(k, context) + halve(unit, context);
    for (std::size_t i = 1; i < units_.size(); ++i) {
      unit = units_[i](sum, context);
      sum = sum + unit;
      if (next_halved != nullptr) *next_halved = *next_halved + halve(unit, context);
    }
    return sum;
  }

 private:
  bool first_;
  Conv2d shortcut_;
  std::vector<Pepx> units_;
};

class CovidNetLarge : public Network {
 public:
  explicit CovidNetLarge(const NetworkOptions& options)
      : Network("covidnet-large", options),
        stem_(layers().conv2d("conv1", stem(checked(options).channels))),
        stages_{Stage(layers(), 1, 56, 56, 3), Stage(layers(), 2, 56, 112, 4),
                Stage(layers(), 3, 112, 216, 6), Stage(layers(), 4, 216, 424, 3)},
        hidden1_(
            layers().linear("fc1", 424 * reduced(options.height) * reduced(options.width), 1024)),
        dropout1_(layers().dropout(0.2)),
        hidden2_(layers().linear("fc2", 1024, 512)),
        dropout2_(layers().dropout(0.2)),
        output_(layers().output("classifier", 512, options.classes)) {
    finish({"stage1", "stage2", "stage3", "stage4", "penultimate"});
  }

 protected:
  at::Tensor run_trunk(const at::Tensor& images, const ForwardContext& context,
                       Features* features) const override {
    at::Tensor x = halve(stem_(images, context).relu_(), context);
    at::Tensor halved;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      at::Tensor next_halved;
      x = stages_[i](x, halved, context, i + 1 < stages_.size() ? &next_halved : nullptr);
      halved = next_halved;
      if (features != nullptr) features->taps.push_back(x.mean({2, 3}));
    }
    return x.flatten(1);
  }

  at::Tensor run_head(const at::Tensor& trunk_output, const ForwardContext& context,
                      Features* features) const override {
    const at::Tensor first = hidden1_(trunk_output, context).relu();
    const at::Tensor second = hidden2_(dropout1_(first, context), context).relu();
    if (features != nullptr) features->taps.push_back(second);
    return output_.in_float(dropout2_(second, context), context);
  }

 private:
  static const NetworkOptions& checked(const NetworkOptions& options) {
    if (options.head == HeadKind::kOwn) return options;
    throw ArgumentError(
        "covidnet-large has a head of its own, made of three layers: its head is 'own'");
  }

  /// The side of the last feature map: the stem rounds up, then four poolings round down.
  static std::int64_t reduced(std::int64_t side) {
    check_at_least("an image side for covidnet-large", static_cast<double>(side), 32);
    return (side + 1) / 2 / 16;
  }

  Conv2d stem_;
  std::vector<Stage> stages_;
  Linear hidden1_;
  Dropout dropout1_;
  Linear hidden2_;
  Dropout dropout2_;
  Linear output_;
};

}  // namespace

std::unique_ptr<Network> make_covidnet_large(const NetworkOptions& options) {
  return std::make_unique<CovidNetLarge>(options);
}

}  // namespace cubcal
