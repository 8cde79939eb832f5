#include "cubcal/weights/layers_model.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "expect_error.h"
#include "weights/tiny_layers_model.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

const std::string kTopology =
    R"("modelTopology":{"model_config":{"config":{"layers":[)"
    R"({"class_name":"BatchNormalization","config":{"name":"bn","epsilon":0.002}},)"
    R"({"class_name":"BatchNormalization","config":{"name":"plain"}},)"
    R"({"class_name":"Conv2D","config":{"name":"conv"}}]}}})";

std::string manifest(const std::string& paths, const std::string& weights) {
  return R"({"format":"layers-model",)" + kTopology + R"(,"weightsManifest":[{"paths":)" + paths +
         R"(,"weights":)" + weights + "}]}";
}

std::string weight(const std::string& name, const std::string& shape,
                   const std::string& more = R"("dtype":"float32")") {
  return R"({"name":")" + name + R"(","shape":)" + shape + "," + more + "}";
}

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// Two weights that end in the midst of shards.
LayersModelFiles two_weights() {
  const std::string bytes = floats({1, 2, 3, 4, 5, 6, 7});
  return {manifest(R"(["a.bin","empty.bin","b.bin"])",
                   "[" + weight("k", "[2,3]") + "," + weight("s", "[]") + "]"),
          {{"a.bin", bytes.substr(0, 9)}, {"empty.bin", ""}, {"b.bin", bytes.substr(9)}}};
}

void expect_refused(const LayersModelFiles& files, const std::string& words) {
  expect_error<DataError>([&] { read_from_memory(files); }, words);
}

TEST(LayersModel, ReadsWeightsAcrossShards) {
  const LayersModel model = read_from_memory(two_weights());
  ASSERT_EQ(model.weights.size(), 2u);
  const NdArray& kernel = model.weights.at("k");
  EXPECT_EQ(kernel.shape(), (std::vector<std::size_t>{2, 3}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(kernel.as<float>()[i], static_cast<float>(i + 1));
  EXPECT_EQ(model.weights.at("s").as<float>()[0], 7.0f);
  EXPECT_EQ(model.epsilon, (std::map<std::string, double>{{"bn", 0.002}, {"plain", 0.001}}));
}

TEST(LayersModel, AShardIsAPlainFileBesideTheModel) {
  for (const char* name :
       {"../a.bin", "/a.bin", "sub/a.bin", "..", ".", "", "a\\\\b", "a\\u0000"}) {
    expect_refused({manifest("[\"" + std::string(name) + "\"]", "[" + weight("k", "[1]") + "]"),
                    {{name, floats({1})}}},
                   "is not the name of a file beside it");
  }
  expect_refused({manifest(R"(["a","a"])", "[" + weight("k", "[2]") + "]"), {{"a", floats({1})}}},
                 "'a' of 'model.json' is named twice");
}

TEST(LayersModel, BytesMustMatchExactly) {
  LayersModelFiles files = two_weights();
  files.shards["b.bin"] += '\0';
  expect_refused(files, "hold 29 bytes, and its weights ask for 28");
  files.shards["b.bin"].resize(3);
  expect_refused(files, "hold 12 bytes, and its weights ask for 28");
  for (const char* shape : {"[4294967296]", "[4294967296,4294967296,4294967296]"}) {
    expect_refused({manifest(R"(["a"])", "[" + weight("k", shape) + "]"), {{"a", ""}}},
                   "more than 4 GiB");
  }
}

TEST(LayersModel, RefusesOtherTypesAndDamage) {
  const auto with = [](const std::string& entry) {
    return LayersModelFiles{manifest(R"(["a"])", "[" + entry + "]"), {{"a", floats({1})}}};
  };
  expect_refused(with(weight("k", "[2]", R"("dtype":"float32","quantization":{"dtype":"uint8"})")),
                 "weight 'k' of 'model.json' is quantised; only float32 weights are read");
  expect_refused(with(weight("k", "[1]", R"("dtype":"int32")")), "is 'int32'; only float32");
  expect_refused(with(weight("k", "[-1]")), "not a list of non-negative integers");
  expect_refused(with(weight("k", "[1.5]")), "not a list of non-negative integers");
  expect_refused(with(R"({"name":"k","dtype":"float32"})"), "not a list of non-negative integers");
  expect_refused(with(R"({"shape":[1],"dtype":"float32"})"), "has no text 'name'");
  expect_refused(with("3"), "has no text 'name'");
  expect_refused({manifest("3", "[]"), {}}, "has no list 'paths'");
  expect_refused({manifest("[]", "3"), {}}, "has no list 'weights'");
  expect_refused({manifest("[4]", "[]"), {}}, "a name that is not a text");
  expect_refused({manifest(R"(["a"])", "[" + weight("k", "[1]") + "," + weight("k", "[1]") + "]"),
                  {{"a", floats({1, 2})}}},
                 "'k' appears twice");
}

TEST(LayersModel, RefusesOtherJson) {
  expect_refused({"{", {}}, "is not valid JSON");
  expect_refused({"[]", {}}, "is not a JSON object");
  expect_refused({"{}", {}}, "is not the model.json of a TensorFlow.js layers model");
  expect_refused({R"({"format":"graph-model","weightsManifest":[]})", {}},
                 "is not the model.json of a TensorFlow.js layers model");
  expect_refused({R"({"weightsManifest":[],"weightsManifest":[]})", {}}, "twice");
  expect_refused({R"({"weightsManifest":[],"modelTopology":3})", {}}, "no list of layers");
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  expect_refused({R"({"weightsManifest":)" + deep + "}", {}}, "nested too deeply");
}

TEST(LayersModel, ReadsAFolderAndRefusesLinksInIt) {
  const fs::path folder = fs::path(::testing::TempDir()) / "cubcal_layers_model";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const LayersModelFiles files = two_weights();
  std::ofstream(folder / "model.json") << files.model_json;
  for (const auto& [name, bytes] : files.shards) std::ofstream(folder / name) << bytes;
  EXPECT_TRUE(is_layers_model(folder.string()));
  EXPECT_EQ(read_layers_model(folder.string()).weights.size(), 2u);
  EXPECT_EQ(read_layers_model((folder / "model.json").string()).weights.size(), 2u);
  std::ofstream(folder / "w.safetensors")
      << std::string("{\0\0\0\0\0\0\0", 8) << std::string(123, ' ');
  EXPECT_FALSE(is_layers_model((folder / "w.safetensors").string())) << "a header of 123 bytes";
  fs::rename(folder / "b.bin", folder / "c.bin");
  expect_error<IoError>([&] { read_layers_model(folder.string()); }, "b.bin");
  fs::create_symlink("c.bin", folder / "b.bin");
  expect_error<DataError>([&] { read_layers_model(folder.string()); }, "is a link, not a file");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace cubcal::test
