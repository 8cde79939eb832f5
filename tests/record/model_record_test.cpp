#include "cubcal/record/model_record.h"

#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/record/model_paths.h"
#include "cubcal/record/provenance.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::ordered_json;

Provenance example_provenance() {
  Provenance provenance;
  provenance.program = "cubcal 0.2.0";
  provenance.recipe = "seed = 7\n";
  provenance.recipe_hash = content_hash(provenance.recipe);
  provenance.settings = {{"seed", "7"}, {"stage1.method", "\"bnn\""}};
  provenance.seed = 7;
  provenance.data = "sets/o'neil";
  provenance.phantom = {{"train", 20}};
  provenance.epoch = 3;
  provenance.metrics = {{"nll", 0.5}};
  return provenance;
}

ModelRecord example_model() {
  ModelRecord model;
  model.identity = ModelIdentity{"moles", "2"};
  model.network = "small-resnet";
  model.layers = "variational";
  model.dropout_rate = 0.25;
  model.classes = 2;
  model.class_names = {"a", "b"};
  model.input = InputRecord{3, 16, 24};
  model.preprocessing = {{"mean", {0.5}}};
  model.prior_sigma = 0.1;
  model.thresholds = Thresholds{0.8, 0.9, 0.3};
  model.provenance = to_json(example_provenance());
  model.weights_hash = "89ab";
  return model;
}

TEST(ModelRecord, IsReadAsItWasWritten) {
  const ScratchFolder folder;
  const ModelPaths paths{folder.file("")};
  Json document = to_json(example_model());
  document["of_another_program"] = 1;
  write_model_document(paths.description(), document);
  const ModelRecord read = read_model_record(paths.description());
  EXPECT_EQ(read.format, "cubcal-model");
  EXPECT_EQ(read.identity->version, "2");
  EXPECT_EQ(read.layers, "variational");
  EXPECT_EQ(read.dropout_rate, 0.25);
  EXPECT_EQ(read.class_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read.input->width, 24);
  EXPECT_EQ(read.prior_sigma, 0.1);
  EXPECT_EQ(read.thresholds->eta, 0.3);
  EXPECT_TRUE(read.verdict.is_null());
  EXPECT_FALSE(read.decision_hash.empty());
  EXPECT_EQ(to_json(read).dump(), to_json(example_model()).dump());
  const Json whole = read_model_document(paths.description());
  EXPECT_EQ(whole["of_another_program"], 1) << "what is not known stays";
  const std::string text = read_text_file(paths.description(), 10000);
  write_model_document(paths.description(), whole);
  EXPECT_EQ(read_text_file(paths.description(), 10000), text);
}

TEST(ModelRecord, APathThatBeginsLikeThePhantomSetIsAPath) {
  EXPECT_TRUE(is_phantom_name("phantom"));
  EXPECT_TRUE(is_phantom_name("phantom:7"));
  for (const char* path : {"phantoms", "phantom-study/labels.csv", "phantom/", "./phantom", ""}) {
    EXPECT_FALSE(is_phantom_name(path)) << path;
  }
}

TEST(ModelRecord, WhatIsAbsentIsNotKnown) {
  const ModelRecord model = model_record_of(Json::object());
  EXPECT_FALSE(model.format);
  EXPECT_TRUE(model.network.empty());
  EXPECT_FALSE(model.members);
  EXPECT_FALSE(model.input);
  EXPECT_FALSE(model.identity);
  EXPECT_TRUE(model.calibration.is_null());
}

TEST(ModelRecord, SaysWhatIsWrong) {
  const ScratchFolder folder;
  const std::string path = folder.file("model.json");
  const auto expect = [&](const std::string& text, const char* what) {
    write_file_atomically(path, text);
    expect_error<DataError>([&] { read_model_record(path); }, what);
    expect_error<DataError>([&] { read_model_record(path); }, "model.json'");
  };
  expect("[1]", "is not a JSON object");
  expect(R"({"format": "layers-model"})", "its format must be 'cubcal-model', not 'layers-model'");
  expect(R"({"version": 2})", "cubcal reads models of version 1, not 2");
  expect(R"({"network": 3})", "the model's field 'network' must be text, not number 3");
  expect(R"({"input": {"channels": 3}})", "a model needs the field 'height'");
  expect(R"({"network": "x", "decision_hash": "0"})", "its hash is another");
}

TEST(ModelRecord, NothingTooLargeIsWritten) {
  const ScratchFolder folder;
  Json document = to_json(example_model());
  document["note"] = std::string(kLargestModelRecord, 'x');
  expect_error<DataError>([&] { write_model_document(folder.file("model.json"), document); },
                          "it stays as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("model.json")));
}

TEST(Provenance, IsReadAsItWasWritten) {
  const Json json = to_json(example_provenance());
  const Provenance read = provenance_of(json);
  EXPECT_EQ(read.seed, 7U);
  EXPECT_EQ(read.data, "sets/o'neil");
  EXPECT_EQ(read.settings, example_provenance().settings);
  EXPECT_EQ(read.phantom, (Json{{"train", 20}}));
  EXPECT_EQ(to_json(read).dump(), json.dump());
  EXPECT_FALSE(provenance_of(Json::object()).seed);
}

TEST(Provenance, SaysWhatIsWrong) {
  Json json = to_json(example_provenance());
  json["recipe"] = "seed = 8\n";
  expect_error<DataError>([&] { provenance_of(json); }, "the model's recipe is not the one");
  expect_error<DataError>([&] { provenance_of(Json::array()); }, "provenance must be an object");
  expect_error<DataError>(
      [&] {
        provenance_of({{"settings", 1}});
      },
      "the provenance's field 'settings' must be an object, not number 1");
}

TEST(ModelPaths, HasOnePlaceForEachFile) {
  const ModelPaths model{"models/a/"};
  EXPECT_EQ(model.description(), "models/a/model.json");
  EXPECT_EQ(model.version("1.2").weights(), "models/a/versions/1.2/weights.safetensors");
  EXPECT_EQ(model.calibration(), "models/a/calibration.json");
}

}  // namespace
}  // namespace cubcal::test
