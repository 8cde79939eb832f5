#include "cubcal/weights/keras_resnet50.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "expect_error.h"
#include "weights/tiny_layers_model.h"

namespace cubcal::test {
namespace {

constexpr std::size_t kWidth = 2;
constexpr std::size_t kClasses = 5;

LayersModel narrow_model() {
  return read_from_memory(narrow_keras_resnet50(kWidth, kClasses, 1000));
}

float value(const StateDict& weights, const std::string& name, std::size_t index) {
  return weights.at(name).as<float>()[index];
}

/// What a network computes of one patch: convolution without padding, then batch norm.
struct Layer {
  std::vector<double> weights;  ///< of one output, in the patch's order
  double bias, mean, variance, epsilon, gamma, beta;

  double operator()(const std::vector<double>& patch) const {
    double sum = bias;
    for (std::size_t i = 0; i < patch.size(); ++i) sum += weights[i] * patch[i];
    return (sum - mean) / std::sqrt(variance + epsilon) * gamma + beta;
  }
};

Layer keras_layer(const StateDict& keras, const std::string& conv, const std::string& norm,
                  std::size_t output) {
  Layer layer{{},
              value(keras, conv + "/bias", output),
              value(keras, norm + "/moving_mean", output),
              value(keras, norm + "/moving_variance", output),
              0.001,
              value(keras, norm + "/gamma", output),
              value(keras, norm + "/beta", output)};
  const NdArray& kernel = keras.at(conv + "/kernel");
  const std::size_t outputs = kernel.shape()[3];
  for (std::size_t i = output; i < kernel.size(); i += outputs) {
    layer.weights.push_back(kernel.as<float>()[i]);
  }
  return layer;
}

Layer own_layer(const StateDict& own, const std::string& conv, const std::string& norm,
                std::size_t output) {
  Layer layer{{},
              0,
              value(own, norm + ".running_mean", output),
              value(own, norm + ".running_var", output),
              1e-5,
              value(own, norm + ".weight", output),
              value(own, norm + ".bias", output)};
  const NdArray& kernel = own.at(conv + ".weight");
  const std::size_t count = kernel.size() / kernel.shape()[0];
  for (std::size_t i = 0; i < count; ++i) {
    layer.weights.push_back(kernel.as<float>()[output * count + i]);
  }
  return layer;
}

/// A patch as Keras orders it, [tap, channel], as [channel, tap].
std::vector<double> channels_first(const std::vector<double>& patch, std::size_t channels) {
  std::vector<double> result;
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t i = c; i < patch.size(); i += channels) result.push_back(patch[i]);
  }
  return result;
}

TEST(KerasResNet50, HasTorchvisionsNamesAndShapes) {
  const StateDict own = torchvision_resnet50(narrow_model());
  EXPECT_EQ(own.size(), 53u * 5 + 2);
  EXPECT_EQ(own.at("conv1.weight").shape(), (std::vector<std::size_t>{kWidth, 3, 7, 7}));
  EXPECT_EQ(own.at("layer2.0.conv2.weight").shape(),
            (std::vector<std::size_t>{2 * kWidth, 2 * kWidth, 3, 3}));
  EXPECT_EQ(own.at("layer3.5.bn3.running_var").shape(), (std::vector<std::size_t>{16 * kWidth}));
  EXPECT_EQ(own.at("layer4.0.downsample.0.weight").shape(),
            (std::vector<std::size_t>{32 * kWidth, 16 * kWidth, 1, 1}));
  EXPECT_EQ(own.at("fc.weight").shape(), (std::vector<std::size_t>{kClasses, 32 * kWidth}));
}

TEST(KerasResNet50, LayersComputeTheSame) {
  const LayersModel keras = narrow_model();
  const StateDict own = torchvision_resnet50(keras);
  std::vector<double> patch;
  for (std::size_t i = 0; i < 9 * 2 * kWidth; ++i) {
    patch.push_back(std::cos(static_cast<double>(i)));
  }
  for (std::size_t output = 0; output < 2 * kWidth; ++output) {
    const double expected =
        keras_layer(keras.weights, "res3b_branch2b", "bn3b_branch2b", output)(patch);
    EXPECT_NEAR(
        own_layer(own, "layer2.1.conv2", "layer2.1.bn2", output)(channels_first(patch, 2 * kWidth)),
        expected, 1e-6);
  }
  for (std::size_t o = 0; o < kClasses; ++o) {
    for (std::size_t i = 0; i < 32 * kWidth; ++i) {
      EXPECT_EQ(value(own, "fc.weight", o * 32 * kWidth + i),
                value(keras.weights, "fc1000/kernel", i * kClasses + o));
    }
    EXPECT_EQ(value(own, "fc.bias", o), value(keras.weights, "fc1000/bias", o));
  }
}

TEST(KerasResNet50, FirstLayerTakesTheUsualRgb) {
  const LayersModel keras = narrow_model();
  const StateDict own = torchvision_resnet50(keras);
  const double mean[] = {0.485, 0.456, 0.406}, deviation[] = {0.229, 0.224, 0.225};
  const double keras_mean[] = {123.68, 116.779, 103.939};
  std::vector<double> bgr, rgb;
  for (std::size_t tap = 0; tap < 49; ++tap) {
    double pixel[3];
    for (std::size_t c = 0; c < 3; ++c) {
      pixel[c] = 0.5 + 0.5 * std::sin(static_cast<double>(3 * tap + c));
      rgb.push_back((pixel[c] - mean[c]) / deviation[c]);
    }
    for (std::size_t c = 3; c-- > 0;) bgr.push_back(255 * pixel[c] - keras_mean[c]);
  }
  for (std::size_t output = 0; output < kWidth; ++output) {
    const double expected = keras_layer(keras.weights, "conv1", "bn_conv1", output)(bgr);
    EXPECT_NEAR(own_layer(own, "conv1", "bn1", output)(channels_first(rgb, 3)), expected,
                1e-5 * std::abs(expected));
  }
}

TEST(KerasResNet50, TheModelsEpsilonCounts) {
  LayersModel keras = narrow_model();
  const float before = value(torchvision_resnet50(keras), "layer1.0.bn1.running_var", 0);
  keras.epsilon["bn2a_branch2a"] = 0.5;
  EXPECT_FLOAT_EQ(value(torchvision_resnet50(keras), "layer1.0.bn1.running_var", 0),
                  before + 0.499f);
}

TEST(KerasResNet50, RefusesOtherModels) {
  const auto refused = [](const std::string& from, const std::string& to,
                          const std::string& words) {
    LayersModelFiles files = narrow_keras_resnet50(kWidth, kClasses, 1 << 20);
    for (std::size_t at = 0; (at = files.model_json.find(from, at)) != std::string::npos;
         at += to.size()) {
      files.model_json.replace(at, from.size(), to);
    }
    expect_error<DataError>([&] { torchvision_resnet50(read_from_memory(files)); }, words);
  };
  refused("res2a_branch1/kernel", "res9z_branch1/kernel",
          "no weight 'res2a_branch1/kernel', and of TensorFlow.js models only Keras' ResNet-50");
  refused("\"bn5c_branch2c\"", "\"other\"", "no BatchNormalization layer 'bn5c_branch2c'");
  refused("[7,7,3,2]", "[7,7,2,3]", "the first layer takes 2 channels");
  refused("[7,7,3,2]", "[147,2]", "has the shape (147, 2)");
  refused("[64,5]", "[160,2]", "has 5 elements where its layer has 2 outputs");
}

TEST(KerasResNet50, ReadsThePackageAsAnIndependentConversionDid) {
  const char* folder = std::getenv("CUBCAL_KERAS_RESNET50");
  const char* sums = std::getenv("CUBCAL_KERAS_RESNET50_SUMS");
  if (folder == nullptr || sums == nullptr) {
    GTEST_SKIP() << "CUBCAL_KERAS_RESNET50 names no folder of the package, or "
                    "CUBCAL_KERAS_RESNET50_SUMS no file of sums";
  }
  const StateDict own = read_state_dict(folder);
  const nlohmann::json reference = nlohmann::json::parse(std::ifstream(sums)).at("tensors");
  ASSERT_EQ(own.size(), reference.size());
  for (const auto& [name, expected] : reference.items()) {
    SCOPED_TRACE(name);
    const NdArray& values = own.at(name);
    EXPECT_EQ(values.shape(), expected.at("shape").get<std::vector<std::size_t>>());
    double sum = 0, size = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += values.as<float>()[i];
      size += std::abs(values.as<float>()[i]);
    }
    const double first = values.as<float>()[0], last = values.as<float>()[values.size() - 1];
    // The sums are stored with seven digits.
    EXPECT_NEAR(sum, expected.at("sum").get<double>(), 1e-6 * size);
    EXPECT_NEAR(size, expected.at("abs_sum").get<double>(), 1e-6 * size);
    EXPECT_NEAR(first, expected.at("first").get<double>(), 1e-6 * std::abs(first));
    EXPECT_NEAR(last, expected.at("last").get<double>(), 1e-6 * std::abs(last));
  }
}

}  // namespace
}  // namespace cubcal::test
