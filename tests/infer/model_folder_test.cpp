#include "cubcal_nn/infer/model_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cubcal/core/content_hash.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/infer/provenance.h"
#include "expect_error.h"
#include "infer/tiny_model.h"
#include "io/file_fixtures.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Calibration some_calibration(std::size_t classes) {
  Calibration calibration;
  calibration.method = CalibrationMethod::kDts;
  calibration.classes = classes;
  calibration.thresholds = paper_thresholds();
  calibration.t_high = 0.8;
  calibration.t_low = 1.3;
  calibration.box_high = {0.5, 1};
  calibration.box_low = {1, 2};
  calibration.samples = 100;
  return calibration;
}

ModelDescription full_description(LayerKind kind) {
  ModelDescription description = tiny_description(kind);
  if (kind == LayerKind::kMcDropout) description.dropout_rate = 0.25;
  description.prior_sigma = 0.7;
  description.thresholds = Thresholds{0.8, 0.95, 0.4};
  Provenance& provenance = description.provenance;
  provenance.recipe = "network = \"small-resnet\"\n# \xce\xb4 = 0.1\n";
  provenance.recipe_hash = content_hash(provenance.recipe);
  provenance.seed = 18446744073709551615ULL;
  provenance.data = "phantom";
  provenance.data_hash = "0123456789abcdef";
  PhantomOptions phantom;
  phantom.label_noise = 0.125;
  phantom.class_share = {0.25, 0.25, 0.25, 0.25};
  provenance.phantom = to_json(phantom);
  provenance.stage = "bayesian";
  provenance.epoch = 12;
  provenance.metrics = {{"accuracy", 0.9}, {"nll", 1.0 / 3}};
  return description;
}

std::unique_ptr<Network> network_for(const ModelDescription& description, std::uint64_t seed = 1) {
  NetworkOptions options = description.network_options(c10::Device(c10::DeviceType::CPU));
  options.seed = seed;
  return make_network(description.network, options);
}

bool same_tensors(const Network& a, const Network& b) {
  const NamedTensors first = a.parameters().named_tensors();
  const NamedTensors second = b.parameters().named_tensors();
  if (first.size() != second.size()) return false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].first != second[i].first) return false;
    if (!at::equal(first[i].second, second[i].second)) return false;
  }
  return true;
}

TEST(ModelFolder, RoundTripsEveryKind) {
  for (const LayerKind kind :
       {LayerKind::kDeterministic, LayerKind::kVariational, LayerKind::kMcDropout}) {
    SCOPED_TRACE(layer_kind_name(kind));
    const TemporaryFolder scratch;
    const std::string folder = scratch.file("deep/model");
    const ModelDescription description = full_description(kind);
    const std::unique_ptr<Network> network = network_for(description, 9);
    for (auto& [name, tensor] : network->parameters().named_tensors()) {
      if (name.find("prior_mean") != std::string::npos || name.find("running") != std::string::npos)
        tensor.add_(0.125);
    }
    save_model(folder, description, *network);
    const LoadedModel loaded = load_model(folder);
    EXPECT_TRUE(same_tensors(*loaded.network, *network));
    EXPECT_EQ(loaded.network->options().kind, kind);
    EXPECT_EQ(loaded.network->options().dropout_rate, description.dropout_rate);

    ModelDescription expected = description;
    EXPECT_EQ(loaded.description.provenance.program.rfind("cubcal ", 0), 0U);
    expected.provenance.program = loaded.description.provenance.program;
    EXPECT_EQ(description_to_json(loaded.description), description_to_json(expected));
    EXPECT_EQ(loaded.description.provenance.seed, 18446744073709551615ULL);
    const std::optional<PhantomOptions> phantom = drawn_phantom(loaded.description.provenance);
    EXPECT_EQ(phantom->label_noise, 0.125);
    EXPECT_EQ(phantom->class_share[3], 0.25);
    EXPECT_EQ(loaded.description.provenance.metrics, description.provenance.metrics);
    EXPECT_EQ(loaded.description.operating_point().eta, 0.4);

    McOptions options;
    options.passes = 3;
    const at::Tensor images = random_images(4);
    const at::Tensor before =
        tensor_of(McEngine(*network, description.preprocessing).run(images, options).logits);
    const at::Tensor after = tensor_of(
        McEngine(*loaded.network, loaded.description.preprocessing).run(images, options).logits);
    EXPECT_TRUE(at::equal(before, after));
  }
}

TEST(ModelFolder, ReadsVersion1) {
  const ModelDescription description =
      read_model_description(std::string(CUBCAL_TEST_DATA) + "/models/version1");
  EXPECT_EQ(description.network, "small-resnet");
  EXPECT_EQ(description.class_names, (std::vector<std::string>{"smooth", "irregular"}));
  EXPECT_EQ(description.kind, LayerKind::kVariational);
  EXPECT_EQ(description.preprocessing.height, 32);
  EXPECT_EQ(description.preprocessing.mean, (std::vector<double>{0.5, 0.25, 0.125}));
  EXPECT_EQ(description.prior_sigma, 1.0);
  ASSERT_TRUE(description.calibration);
  EXPECT_EQ(description.calibration->t_low, 1.5);
  EXPECT_EQ(description.operating_point().gamma_high, 0.923);
  const std::optional<PhantomOptions> phantom = drawn_phantom(description.provenance);
  ASSERT_TRUE(phantom);
  EXPECT_EQ(phantom->seed, 7U);
  EXPECT_EQ(description.provenance.epoch, 20);
}

TEST(ModelFolder, DerivesThresholdsWhereThereAreNone) {
  const ModelDescription description = tiny_description(LayerKind::kVariational);
  EXPECT_NEAR(description.operating_point().gamma_high, 0.922922, 1e-6);
  ModelDescription calibrated = description;
  calibrated.calibration = some_calibration(3);
  EXPECT_EQ(calibrated.operating_point().gamma_high, 0.923);
}

TEST(ModelFolder, AttachesACalibrationAndLeavesTheRest) {
  const TemporaryFolder scratch;
  const ModelDescription description = full_description(LayerKind::kVariational);
  const std::unique_ptr<Network> network = network_for(description);
  save_model(scratch.path(), description, *network);
  Json document = Json::parse(file_bytes(scratch.file("model.json")));
  document["of_a_later_version"] = {1, 2, 3};
  write_file_atomically(scratch.file("model.json"), document.dump());

  attach_calibration(scratch.path(), some_calibration(3));
  const LoadedModel loaded = load_model(scratch.path());
  ASSERT_TRUE(loaded.description.calibration);
  EXPECT_EQ(loaded.description.calibration->t_high, 0.8);
  EXPECT_TRUE(same_tensors(*loaded.network, *network));
  document["calibration"] = Json::parse(calibration_to_json(some_calibration(3)));
  Json written = Json::parse(file_bytes(scratch.file("model.json")));
  EXPECT_NE(written["decision_hash"], document["decision_hash"]);
  for (Json* each : {&written, &document}) each->erase("decision_hash");
  EXPECT_EQ(nlohmann::json(written), nlohmann::json(document));

  expect_error<DataError>([&] { attach_calibration(scratch.path(), some_calibration(4)); },
                          "the calibration is for 4 classes, and the model has 3");
  EXPECT_EQ(load_model(scratch.path()).description.calibration->t_high, 0.8);
}

TEST(ModelFolder, ACalibrationOfOtherWeightsIsRefused) {
  const TemporaryFolder scratch;
  const ModelDescription description = full_description(LayerKind::kVariational);
  save_model(scratch.path(), description, *network_for(description));
  Calibration calibration = some_calibration(3);
  calibration.weights_hash = "0123456789abcdef";
  const std::string before = file_bytes(scratch.file("model.json"));
  expect_error<DataError>([&] { attach_calibration(scratch.path(), calibration); },
                          "fitted on logits of other weights (hash 0123456789abcdef)");
  EXPECT_EQ(file_bytes(scratch.file("model.json")), before);
  calibration.weights_hash = read_weights_hash(scratch.path());
  attach_calibration(scratch.path(), calibration);
  EXPECT_EQ(load_model(scratch.path()).description.calibration->weights_hash,
            calibration.weights_hash);
}

TEST(ModelFolder, ANamedModelKeepsItsVersions) {
  const TemporaryFolder scratch;
  const std::string model = scratch.file("model");
  ModelDescription description = full_description(LayerKind::kVariational);
  const std::unique_ptr<Network> network = network_for(description);
  save_model(model, description, *network);
  attach_calibration(model, some_calibration(3));
  EXPECT_FALSE(fs::exists(model + "/versions")) << "a model without a name has none";
  ModelIdentity identity;
  identity.name = "Lesions";
  identity.version = "1.9";
  identity.status = ModelStatus::kValidation;
  attach_identity(model, identity);
  write_file_atomically(model + "/report.html", "of 1.9");

  Calibration other = some_calibration(3);
  other.t_high = 0.6;
  attach_calibration(model, other);
  const LoadedModel now = load_model(model);
  ASSERT_TRUE(now.description.identity);
  EXPECT_EQ(now.description.identity->version, "1.10");
  EXPECT_EQ(now.description.identity->name, "Lesions");
  EXPECT_EQ(now.description.calibration->t_high, 0.6);
  EXPECT_FALSE(fs::exists(model + "/report.html")) << "it is of the version before";
  const LoadedModel kept = load_model(model + "/versions/1.9");
  EXPECT_EQ(kept.description.identity->version, "1.9");
  EXPECT_EQ(kept.description.calibration->t_high, 0.8);
  EXPECT_TRUE(same_tensors(*kept.network, *network));
  EXPECT_EQ(file_bytes(model + "/versions/1.9/report.html"), "of 1.9");

  expect_error<ArgumentError>([&] { attach_identity(model, identity); },
                              "has a version 1.9 already: give another one");
  identity.version = "../2";
  expect_error<ArgumentError>([&] { attach_identity(model, identity); },
                              "the version of a model must be");
  EXPECT_EQ(read_model_description(model).identity->version, "1.10");
  fs::create_directories(model + "/versions/1.10");
  fs::copy(model + "/versions/1.9/model.json", model + "/versions/1.10/model.json");
  expect_error<DataError>([&] { attach_calibration(model, other); },
                          "holds another model than the version 1.10");
}

TEST(ModelFolder, AKilledChangeIsMadeAgain) {
  const TemporaryFolder scratch;
  ModelDescription description = full_description(LayerKind::kVariational);
  description.identity = ModelIdentity{"Lesions"};
  save_model(scratch.path(), description, *network_for(description));
  const std::string before = file_bytes(scratch.file("model.json"));
  attach_calibration(scratch.path(), some_calibration(3));
  // As if it had been killed once the version was kept.
  write_file_atomically(scratch.file("model.json"), before);
  attach_calibration(scratch.path(), some_calibration(3));
  EXPECT_EQ(read_model_description(scratch.path()).identity->version, "2");
  EXPECT_EQ(file_bytes(scratch.file("versions/1/model.json")), before);
}

TEST(ModelFolder, AKeptVersionHasTheWeightsThatAKilledSaveLeft) {
  const TemporaryFolder scratch;
  ModelDescription description = full_description(LayerKind::kVariational);
  description.identity = ModelIdentity{"Lesions"};
  const std::unique_ptr<Network> network = network_for(description, 2);
  save_model(scratch.path(), description, *network_for(description, 1));
  const std::string older = file_bytes(scratch.file("weights.safetensors"));
  save_model(scratch.path(), description, *network);
  // As if it had been killed once model.json was in its place.
  fs::rename(scratch.file("weights.safetensors"), scratch.file("weights.next.safetensors"));
  write_file_atomically(scratch.file("weights.safetensors"), older);
  attach_calibration(scratch.path(), some_calibration(3));
  EXPECT_TRUE(same_tensors(*load_model(scratch.file("versions/1")).network, *network));
  EXPECT_TRUE(same_tensors(*load_model(scratch.path()).network, *network));
  EXPECT_FALSE(fs::exists(scratch.file("weights.next.safetensors")));
  EXPECT_FALSE(fs::exists(scratch.file("run.lock")));
}

TEST(ModelFolder, TwoThatChangeItWaitForEachOther) {
  const TemporaryFolder scratch;
  ModelDescription description = full_description(LayerKind::kVariational);
  description.identity = ModelIdentity{"Lesions"};
  save_model(scratch.path(), description, *network_for(description));
  constexpr int writers = 4, changes = 5;
  for (int i = 0; i < writers; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child != 0) continue;
    try {
      for (int k = 0; k < changes; ++k) attach_calibration(scratch.path(), some_calibration(3));
    } catch (const std::exception&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  for (int i = 0; i < writers; ++i) {
    int status = 1;
    ASSERT_GT(::wait(&status), 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read_model_description(scratch.path()).identity->version,
            std::to_string(1 + writers * changes));
  for (int version = 1; version <= writers * changes; ++version) {
    EXPECT_EQ(read_model_description(scratch.file("versions/" + std::to_string(version)))
                  .identity->version,
              std::to_string(version));
  }
}

TEST(ModelFolder, ARecipeThatIsNotTheHashedOneIsRefused) {
  const TemporaryFolder scratch;
  const ModelDescription description = full_description(LayerKind::kVariational);
  save_model(scratch.path(), description, *network_for(description));
  std::string document = file_bytes(scratch.file("model.json"));
  document[document.find("small-resnet\\\"") + 1] = 'n';
  write_file_atomically(scratch.file("model.json"), document);
  expect_error<DataError>([&] { read_model_description(scratch.path()); },
                          "model.json: the model's recipe is not the one its hash");
}

TEST(ModelFolder, ALinkInItIsNotWrittenThrough) {
  const TemporaryFolder scratch;
  const ModelDescription description = full_description(LayerKind::kVariational);
  const std::unique_ptr<Network> network = network_for(description);
  const std::string model = scratch.file("model");
  save_model(model, description, *network);
  const auto linked = [&](const char* name, const auto& write) {
    fs::rename(model + "/model.json", scratch.file("kept.json"));
    fs::create_symlink(scratch.file("kept.json"), model + "/model.json");
    fs::create_symlink(scratch.file("elsewhere"), model + "/" + name);
    const std::string before = file_bytes(scratch.file("kept.json"));
    expect_error<IoError>(write, "it is a symbolic link");
    EXPECT_EQ(file_bytes(scratch.file("kept.json")), before);
    EXPECT_FALSE(fs::exists(scratch.file("elsewhere")));
    fs::remove(model + "/" + name);
    fs::rename(scratch.file("kept.json"), model + "/model.json");
  };
  linked("x", [&] { attach_calibration(model, some_calibration(3)); });
  linked("weights.next.safetensors", [&] { save_model(model, description, *network); });
}

TEST(ModelFolder, AttachingWritesNothingThatCouldNotBeReadBack) {
  const TemporaryFolder scratch;
  const ModelDescription description = full_description(LayerKind::kVariational);
  save_model(scratch.path(), description, *network_for(description));
  const std::string whole = file_bytes(scratch.file("model.json"));
  const auto refused = [&](const std::string& extra, const std::string& words) {
    const std::string document = whole.substr(0, whole.rfind('}')) + ", \"extra\": " + extra + "}";
    write_file_atomically(scratch.file("model.json"), document);
    expect_error<DataError>([&] { attach_calibration(scratch.path(), some_calibration(3)); },
                            words);
    EXPECT_EQ(file_bytes(scratch.file("model.json")), document);
  };
  refused(std::string(20000, '[') + std::string(20000, ']'), "nested too deeply");
  std::string wide = std::string(28, '[') + "0";
  for (int i = 0; i < 300000; ++i) wide += ",0";
  refused(wide + std::string(28, ']'), "would grow to");
}

TEST(ModelFolder, TakesTheBestModelOfARun) {
  const TemporaryFolder scratch;
  const ModelDescription description = tiny_description(LayerKind::kDeterministic);
  save_model(scratch.file("best"), description, *network_for(description));
  EXPECT_EQ(load_model(scratch.path()).description.network, "small-resnet");
  EXPECT_EQ(read_model_description(scratch.path()).classes(), 3U);
  attach_calibration(scratch.path(), some_calibration(3));
  EXPECT_TRUE(read_model_description(scratch.file("best")).calibration);
}

// What a kill leaves between the steps of a save: the old model or the new one, never a mixture.

struct TwoModels {
  ModelDescription old_description = tiny_description(LayerKind::kVariational);
  ModelDescription new_description = tiny_description(LayerKind::kVariational);
  std::unique_ptr<Network> old_network = network_for(old_description, 1);
  std::unique_ptr<Network> new_network = network_for(new_description, 2);

  TwoModels() {
    old_description.provenance.epoch = 1;
    new_description.provenance.epoch = 2;
  }
  /// 1 or 2 where description and weights belong together, else 0.
  int which(const LoadedModel& model) const {
    const bool is_old = model.description.provenance.epoch == 1;
    return same_tensors(*model.network, is_old ? *old_network : *new_network) ? (is_old ? 1 : 2)
                                                                              : 0;
  }
};

TEST(ModelFolder, ASaveThatWasCutOffLeavesOneWholeModel) {
  const TwoModels models;
  const TemporaryFolder before, after;
  save_model(before.path(), models.old_description, *models.old_network);
  save_model(after.path(), models.new_description, *models.new_network);

  fs::copy_file(after.file("weights.safetensors"), before.file("weights.next.safetensors"));
  EXPECT_EQ(models.which(load_model(before.path())), 1);

  fs::copy_file(after.file("model.json"), before.file("model.json"),
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(models.which(load_model(before.path())), 2);

  save_model(before.path(), models.old_description, *models.old_network);
  EXPECT_EQ(models.which(load_model(before.path())), 1);
  EXPECT_EQ(before.entries(), 2U);
}

TEST(ModelFolder, SurvivesKillsWhileSaving) {
  const TwoModels models;
  const TemporaryFolder folder;
  save_model(folder.path(), models.old_description, *models.old_network);
  for (int round = 0; round < 25; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (;;) {
        save_model(folder.path(), models.new_description, *models.new_network);
        save_model(folder.path(), models.old_description, *models.old_network);
      }
    }
    ::usleep(static_cast<useconds_t>(1500 + 777 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_NE(models.which(load_model(folder.path())), 0) << round;
  }
}

TEST(ModelFolder, RefusesAnotherNetworkThanDescribed) {
  const TemporaryFolder scratch;
  ModelDescription description = tiny_description(LayerKind::kVariational);
  const std::unique_ptr<Network> network = tiny_network(LayerKind::kVariational);
  description.class_names.push_back("fourth");
  expect_error<ArgumentError>([&] { save_model(scratch.path(), description, *network); },
                              "differs from its description");
  description = tiny_description(LayerKind::kVariational);
  description.class_names[1] = "\xff";
  expect_error<ArgumentError>([&] { save_model(scratch.path(), description, *network); },
                              "must be UTF-8");
  description.class_names[1] = description.class_names[0];
  expect_error<DataError>([&] { save_model(scratch.path(), description, *network); },
                          "class names must differ, and 'round' is there twice");
  EXPECT_EQ(scratch.entries(), 0U);
}

class DamagedModel : public testing::Test {
 protected:
  void SetUp() override {
    const ModelDescription description = full_description(LayerKind::kVariational);
    save_model(scratch_.path(), description, *network_for(description));
    document_ = Json::parse(file_bytes(scratch_.file("model.json")));
  }

  /// Loads the model with `change` made to model.json and expects these words.
  void expect_refused(const std::function<void(Json&)>& change, const std::string& words) {
    Json changed = document_;
    change(changed);
    write_file_atomically(scratch_.file("model.json"), changed.dump());
    const std::string message = message_of<DataError>([&] { load_model(scratch_.path()); });
    EXPECT_TRUE(contains(message, words));
    EXPECT_TRUE(contains(message, "model.json: ")) << "names the file";
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }

  TemporaryFolder scratch_;
  Json document_;
};

TEST_F(DamagedModel, EveryFieldIsChecked) {
  for (const char* field : {"format", "version", "network", "layers", "classes", "class_names",
                            "input", "preprocessing", "prior", "weights_hash"}) {
    expect_refused(
        [&](Json& json) {
          json.erase(field);
          json.erase("decision_hash");
        },
        std::string("needs the field '") + field + "'");
  }
  expect_refused([](Json& json) { json["format"] = "other"; },
                 "its format must be 'cubcal-model', not 'other'");
  expect_refused([](Json& json) { json["version"] = 2; }, "reads models of version 1, not 2");
  expect_refused([](Json& json) { json["network"] = "vgg"; },
                 "no network named 'vgg'; the known ones are convnext-tiny, covidnet-large");
  expect_refused([](Json& json) { json["network"] = 5; }, "'network' must be text, not number");
  expect_refused([](Json& json) { json["layers"] = "wobbly"; }, "wobbly");
  expect_refused([](Json& json) { json["classes"] = 4; },
                 "'classes' is 4, but 'class_names' has 3");
  expect_refused(
      [](Json& json) {
        json["class_names"] = {"a", 2, "c"};
      },
      "'class_names' must be a list of texts");
  expect_refused([](Json& json) { json["class_names"] = {"a", "a", "c"}; }, "must differ");
  expect_refused(
      [](Json& json) {
        json["classes"] = 1;
        json["class_names"] = {"a"};
      },
      "classes");
  expect_refused([](Json& json) { json["input"]["height"] = 17; },
                 "'height' is 17, but 'preprocessing' has 16");
  expect_refused([](Json& json) { json["preprocessing"]["mean"] = {"x"}; }, "preprocessing");
  expect_refused([](Json& json) { json["preprocessing"]["standard_deviation"] = {0.0}; },
                 "standard");
  expect_refused([](Json& json) { json["prior"]["sigma"] = 0; }, "prior sigma must be");
  expect_refused([](Json& json) { json["dropout_rate"] = 0.5; },
                 "a dropout rate belongs to mc-dropout models");
  expect_refused([](Json& json) { json["thresholds"]["eta"] = -1; }, "eta");
  expect_refused([](Json& json) { json["calibration"] = {{"format", "?"}}; }, "calibration");
  expect_refused([](Json& json) { json["provenance"]["epoch"] = "many"; },
                 "the provenance's field 'epoch' must be a whole number from 0 on, not string");
  expect_refused([](Json& json) { json["provenance"]["seed"] = -1; },
                 "the provenance's field 'seed' must be a whole number from 0 on, not number -1");
  expect_refused([](Json& json) { json["provenance"]["phantom"]["label_noise"] = 2; },
                 "the phantom options are not usable");
  expect_refused([](Json& json) { json["provenance"]["phantom"]["class_share"] = {1}; },
                 "the phantom's field 'class_share' must be a list of 4 numbers");
  expect_refused([](Json& json) { json["provenance"]["metrics"]["nll"] = "low"; },
                 "the provenance's field 'nll' must be a number");
  expect_refused([](Json& json) { json = Json::array(); }, "model");
}

TEST_F(DamagedModel, WhatAnswersFollowFromIsCoveredByAHash) {
  const std::string words = "its hash is another";
  expect_refused([](Json& json) { json["thresholds"]["eta"] = 0.5; }, words);
  expect_refused([](Json& json) { json["class_names"] = {"b", "a", "c"}; }, words);
  expect_refused([](Json& json) { json["preprocessing"]["mean"][0] = 0.125; }, words);
  expect_refused([](Json& json) { json["verdict"] = {{"alpha", 0.5}}; }, words);
  expect_refused([](Json& json) { json["identity"] = {{"name", "x"}, {"version", "1"}}; }, words);
  expect_error<DataError>([&] { attach_identity(scratch_.path(), {"x"}); }, words);
  expect_error<DataError>([&] { read_model_field(scratch_.path(), "verdict"); }, words);
  Json reordered = document_;
  reordered.erase("thresholds");
  reordered["thresholds"] = {{"eta", 0.4}, {"gamma_high", 0.95}, {"gamma_low", 0.8}};
  write_file_atomically(scratch_.file("model.json"), reordered.dump());
  EXPECT_EQ(load_model(scratch_.path()).description.thresholds->eta, 0.4)
      << "order is not a change";
  Json older = document_;
  older.erase("decision_hash");
  older["thresholds"]["eta"] = 0.5;
  write_file_atomically(scratch_.file("model.json"), older.dump());
  EXPECT_EQ(load_model(scratch_.path()).description.thresholds->eta, 0.5) << "as before the hash";
}

TEST_F(DamagedModel, NotJson) {
  write_file_atomically(scratch_.file("model.json"), "{\"format\": ");
  expect_error<DataError>([&] { load_model(scratch_.path()); },
                          "model.json: a model's description must be a JSON object");
}

TEST_F(DamagedModel, WeightsOfAnotherNetwork) {
  Json other = document_;
  other["classes"] = 2;
  other["class_names"] = {"a", "b"};
  other.erase("decision_hash");
  write_file_atomically(scratch_.file("model.json"), other.dump());
  expect_error<DataError>([&] { load_model(scratch_.path()); },
                          "does not fit the network 'small-resnet': of another shape: fc.3.weight");
}

TEST_F(DamagedModel, ChangedWeights) {
  std::string bytes = file_bytes(scratch_.file("weights.safetensors"));
  bytes[bytes.size() - 2] = static_cast<char>(bytes[bytes.size() - 2] ^ 1);
  write_file_atomically(scratch_.file("weights.safetensors"), bytes);
  expect_error<DataError>([&] { load_model(scratch_.path()); },
                          "is not the file that model.json was written with");
  write_file_atomically(scratch_.file("weights.safetensors"), bytes.substr(0, bytes.size() / 2));
  expect_error<DataError>([&] { load_model(scratch_.path()); }, "weights.safetensors");
}

TEST_F(DamagedModel, MissingFiles) {
  fs::remove(scratch_.file("weights.safetensors"));
  expect_error<DataError>([&] { load_model(scratch_.path()); }, "has no file weights.safetensors");
  fs::remove(scratch_.file("model.json"));
  expect_error<IoError>([&] { load_model(scratch_.path()); }, "model.json");
  expect_error<IoError>([&] { load_model(scratch_.file("nowhere")); }, "nowhere");
}

}  // namespace
}  // namespace cubcal::test
