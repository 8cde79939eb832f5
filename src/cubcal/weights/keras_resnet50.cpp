#include "cubcal/weights/keras_resnet50.h"

#include <array>
#include <set>

#include "cubcal/core/error.h"
#include "cubcal/core/imagenet.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr double kOwnEpsilon = 1e-5;
constexpr double kFirstScale = 57.63;
constexpr std::array<double, 3> kMean = kImageNetRgbMean;
constexpr std::array<double, 3> kDeviation = kImageNetRgbDeviation;
constexpr std::array<double, 3> kKerasMean = {123.68, 116.779, 103.939};  // RGB, of 0 to 255
constexpr std::array<int, 4> kBlocks = {3, 4, 6, 3};                      // per stage

class Conversion {
 public:
  explicit Conversion(const LayersModel& keras) : keras_(keras) {}

  /// A convolution and the batch norm behind it.
  void conv_norm(const std::string& keras_conv, const std::string& keras_norm,
                 const std::string& conv, const std::string& norm) {
    const NdArray& kernel = take(keras_conv + "/kernel", 4);
    add(conv + ".weight", swapped_kernel(kernel));
    add_norm(keras_conv, keras_norm, norm, kernel.shape()[3], {});
  }

  void first_layer() {
    const NdArray& kernel = take("conv1/kernel", 4);
    if (kernel.shape()[2] != kMean.size()) {
      throw DataError("the first layer takes " + std::to_string(kernel.shape()[2]) +
                      " channels, and Keras' ResNet-50 takes 3");
    }
    const std::size_t outputs = kernel.shape()[3];
    const std::size_t taps = kernel.shape()[0] * kernel.shape()[1];
    NdArray weight = swapped_kernel(kernel);
    std::vector<double> shift(outputs);
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t c = 0; c < kMean.size(); ++c) {
        for (std::size_t tap = 0; tap < taps; ++tap) {
          const std::size_t blue_first = kMean.size() - 1 - c;
          const double value = kernel.as<float>()[(tap * kMean.size() + blue_first) * outputs + o];
          weight.as<float>()[(o * kMean.size() + c) * taps + tap] =
              static_cast<float>(value * 255 * kDeviation[c] / kFirstScale);
          shift[o] += value * (255 * kMean[c] - kKerasMean[c]);
        }
      }
    }
    add("conv1.weight", std::move(weight));
    add_norm("conv1", "bn_conv1", "bn1", outputs, shift);
  }

  void last_layer() {
    const NdArray& kernel = take("fc1000/kernel", 2);
    const std::size_t inputs = kernel.shape()[0], outputs = kernel.shape()[1];
    NdArray weight(DType::kF32, {outputs, inputs});
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t i = 0; i < inputs; ++i) {
        weight.as<float>()[o * inputs + i] = kernel.as<float>()[i * outputs + o];
      }
    }
    add("fc.weight", std::move(weight));
    add("fc.bias", copied(vector("fc1000/bias", outputs)));
  }

  StateDict finish() {
    for (const auto& [name, values] : keras_.weights) {
      if (used_.count(name) == 0) {
        throw DataError("the weight " + in_quotes(name) + " is none of Keras' ResNet-50");
      }
    }
    return std::move(result_);
  }

 private:
  const NdArray& take(const std::string& name, std::size_t dimensions) {
    const NdArray* values = keras_.weights.find(name);
    if (values == nullptr) {
      throw DataError("the model has no weight " + in_quotes(name) +
                      ", and of TensorFlow.js models only Keras' ResNet-50 is read");
    }
    if (values->shape().size() != dimensions) {
      throw DataError("the weight " + in_quotes(name) + " has the shape " + values->shape_text() +
                      ", which has not " + std::to_string(dimensions) + " dimensions");
    }
    used_.insert(name);
    return *values;
  }

  const NdArray& vector(const std::string& name, std::size_t size) {
    const NdArray& values = take(name, 1);
    if (values.size() != size) {
      throw DataError("the weight " + in_quotes(name) + " has " + std::to_string(values.size()) +
                      " elements where its layer has " + std::to_string(size) + " outputs");
    }
    return values;
  }

  /// Without `shift` the layer keeps its scale; with it, it is the first layer.
  void add_norm(const std::string& keras_conv, const std::string& keras_norm,
                const std::string& norm, std::size_t channels, const std::vector<double>& shift) {
    const auto epsilon = keras_.epsilon.find(keras_norm);
    if (epsilon == keras_.epsilon.end()) {
      throw DataError("the model has no BatchNormalization layer " + in_quotes(keras_norm));
    }
    const NdArray& bias = vector(keras_conv + "/bias", channels);
    const NdArray& mean = vector(keras_norm + "/moving_mean", channels);
    const NdArray& variance = vector(keras_norm + "/moving_variance", channels);
    NdArray own_mean(DType::kF32, {channels}), own_variance(DType::kF32, {channels});
    const double scale = shift.empty() ? 1 : kFirstScale;
    for (std::size_t k = 0; k < channels; ++k) {
      const double moved = shift.empty() ? 0 : shift[k];
      own_mean.as<float>()[k] = static_cast<float>(
          (static_cast<double>(mean.as<float>()[k]) - bias.as<float>()[k] - moved) / scale);
      own_variance.as<float>()[k] = static_cast<float>(
          (variance.as<float>()[k] + epsilon->second) / (scale * scale) - kOwnEpsilon);
    }
    add(norm + ".weight", copied(vector(keras_norm + "/gamma", channels)));
    add(norm + ".bias", copied(vector(keras_norm + "/beta", channels)));
    add(norm + ".running_mean", std::move(own_mean));
    add(norm + ".running_var", std::move(own_variance));
  }

  static NdArray swapped_kernel(const NdArray& kernel) {
    const std::size_t taps = kernel.shape()[0] * kernel.shape()[1];
    const std::size_t inputs = kernel.shape()[2], outputs = kernel.shape()[3];
    NdArray weight(DType::kF32, {outputs, inputs, kernel.shape()[0], kernel.shape()[1]});
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t i = 0; i < inputs; ++i) {
        for (std::size_t tap = 0; tap < taps; ++tap) {
          weight.as<float>()[(o * inputs + i) * taps + tap] =
              kernel.as<float>()[(tap * inputs + i) * outputs + o];
        }
      }
    }
    return weight;
  }

  static NdArray copied(const NdArray& values) {
    return NdArray(values.dtype(), values.shape(), values.memory());
  }

  void add(std::string name, NdArray values) { result_.add(std::move(name), std::move(values)); }

  const LayersModel& keras_;
  StateDict result_;
  std::set<std::string> used_;
};

}  // namespace

StateDict torchvision_resnet50(const LayersModel& keras) {
  Conversion conversion(keras);
  conversion.first_layer();
  for (std::size_t stage = 0; stage < kBlocks.size(); ++stage) {
    for (int block = 0; block < kBlocks[stage]; ++block) {
      const std::string branch =
          std::to_string(stage + 2) + static_cast<char>('a' + block) + "_branch";
      const std::string path = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      const auto add = [&](const std::string& end, const std::string& conv,
                           const std::string& norm) {
        conversion.conv_norm("res" + branch + end, "bn" + branch + end, path + conv, path + norm);
      };
      add("2a", ".conv1", ".bn1");
      add("2b", ".conv2", ".bn2");
      add("2c", ".conv3", ".bn3");
      if (block == 0) add("1", ".downsample.0", ".downsample.1");
    }
  }
  conversion.last_layer();
  return conversion.finish();
}

}  // namespace cubcal
