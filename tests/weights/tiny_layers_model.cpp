#include "weights/tiny_layers_model.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace cubcal::test {

namespace {

using nlohmann::json;

class KerasWriter {
 public:
  void conv_norm(const std::string& conv, const std::string& norm, std::size_t kernel,
                 std::size_t in, std::size_t out) {
    weight(conv + "/kernel", {kernel, kernel, in, out});
    weight(conv + "/bias", {out});
    for (const char* leaf : {"/gamma", "/beta", "/moving_mean"}) weight(norm + leaf, {out});
    weight(norm + "/moving_variance", {out}, true);
    layers_.push_back(
        {{"class_name", "BatchNormalization"}, {"config", {{"name", norm}, {"epsilon", 0.001}}}});
  }

  void weight(const std::string& name, const std::vector<std::size_t>& shape,
              bool positive = false) {
    weights_.push_back({{"name", name}, {"shape", shape}, {"dtype", "float32"}});
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    for (std::size_t i = 0; i < count; ++i) {
      const double wave = std::sin(static_cast<double>(++written_));
      const auto value = static_cast<float>(positive ? 1.5 + wave : 0.2 * wave);
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }

  LayersModelFiles files(std::size_t shard_bytes) const {
    LayersModelFiles result;
    json paths = json::array();
    for (std::size_t start = 0; start < bytes_.size(); start += shard_bytes) {
      const std::string name = "group1-shard" + std::to_string(paths.size() + 1) + ".bin";
      paths.push_back(name);
      result.shards[name] = bytes_.substr(start, shard_bytes);
    }
    const json group = {{"paths", paths}, {"weights", weights_}};
    const json config = {{"class_name", "Model"}, {"config", {{"layers", layers_}}}};
    result.model_json = json{{"format", "layers-model"},
                             {"modelTopology", {{"model_config", config}}},
                             {"weightsManifest", json::array({group})}}
                            .dump();
    return result;
  }

 private:
  json layers_ = json::array();
  json weights_ = json::array();
  std::string bytes_;
  int written_ = 0;
};

}  // namespace

LayersModelFiles narrow_keras_resnet50(std::size_t width, std::size_t classes,
                                       std::size_t shard_bytes) {
  KerasWriter keras;
  keras.conv_norm("conv1", "bn_conv1", 7, 3, width);
  std::size_t in = width;
  const std::size_t blocks[] = {3, 4, 6, 3};
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const std::size_t inside = width << stage;
    for (std::size_t block = 0; block < blocks[stage]; ++block) {
      const std::string branch =
          std::to_string(stage + 2) + std::string(1, "abcdef"[block]) + "_branch";
      const auto add = [&](const char* end, std::size_t kernel, std::size_t from, std::size_t to) {
        keras.conv_norm("res" + branch + end, "bn" + branch + end, kernel, from, to);
      };
      add("2a", 1, in, inside);
      add("2b", 3, inside, inside);
      add("2c", 1, inside, 4 * inside);
      if (block == 0) add("1", 1, in, 4 * inside);
      in = 4 * inside;
    }
  }
  keras.weight("fc1000/kernel", {in, classes});
  keras.weight("fc1000/bias", {classes});
  return keras.files(shard_bytes);
}

}  // namespace cubcal::test
