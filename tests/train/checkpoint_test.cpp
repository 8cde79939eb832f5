#include "cubcal_nn/train/checkpoint.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/weights/safetensors.h"
#include "cubcal_nn/losses/avuc_objective.h"
#include "cubcal_nn/losses/cub_objective.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

void fill(ParameterStore& store, std::int64_t features) {
  store.add_parameter("weight", {features, 2}, ParameterKind::kVariational, {});
  store.add_parameter("norm", {3}, ParameterKind::kPoint, {});
  store.add_buffer("running_mean", {3}, 0);
  store.allocate(at::kFloat, at::kCPU);
}

CheckpointHead some_head() {
  CheckpointHead head;
  head.state.stage = 1;
  head.state.epoch = 7;
  head.state.step = 3;
  head.state.sums = {1.0 / 3, 0.2, 0.1, 12, {{"cub", 1e-17}, {"zeta", 4}}};
  head.state.images = 99;
  head.state.objective = {{"threshold", 0.1 + 0.2}, {"steps", 11}};
  head.state.early_stop.best = 0.1 * 3;
  head.state.early_stop.best_epoch = 4;
  head.state.early_stop.epochs_since_best = 2;
  head.state.stage_seconds = 12.5;
  head.state.finished = {{20, 11, 0.5, true, 3.25}};
  head.state.metrics_bytes = 12345;
  head.compute = {2, ConvolutionBackend::kOneDnn};
  head.recipe_hash = "r";
  head.data_hash = "d";
  head.pretrained_hash = "p";
  return head;
}

TEST(Checkpoint, HoldsTheStateExactly) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("checkpoint.safetensors");
  EXPECT_FALSE(read_checkpoint_head(path).has_value());
  const CheckpointHead head = some_head();
  write_checkpoint(path, head, nullptr, nullptr);
  const CheckpointHead read = read_checkpoint_head(path).value();
  EXPECT_EQ(to_json(read.state), to_json(head.state));
  EXPECT_EQ(read.state.early_stop.best, head.state.early_stop.best);
  EXPECT_EQ(read.compute.threads, 2);
  EXPECT_EQ(read.compute.convolution, ConvolutionBackend::kOneDnn);
  EXPECT_EQ(read.recipe_hash, "r");
  EXPECT_EQ(read.pretrained_hash, "p");
}

/// Checkpoints of runs that an earlier program left in the middle of an epoch, without tensors.
TEST(Checkpoint, Version1IsReadStill) {
  const std::string folder = std::string(CUBCAL_TEST_DATA) + "/checkpoints/version1-";
  const CheckpointHead cub = read_checkpoint_head(folder + "bnn-cub.safetensors").value();
  EXPECT_EQ(cub.state.stage, 1);
  EXPECT_EQ(cub.state.epoch, 2);
  EXPECT_EQ(cub.state.step, 3);
  EXPECT_EQ(cub.state.images, 48);
  EXPECT_EQ(cub.state.metrics_bytes, 3274U);
  EXPECT_EQ(cub.state.finished.at(0).epochs, 2);
  EXPECT_EQ(cub.state.sums.loss, 21.587881361206996);
  EXPECT_EQ(cub.state.sums.cross_entropy, 3.103338122367859);
  EXPECT_EQ(cub.state.sums.kl, 11.362049614151942);
  EXPECT_EQ(cub.state.sums.correct, 30);
  EXPECT_EQ(number_named(cub.state.sums.own, "cub"), 29.835121154785156);
  CubObjective objective({}, {BetaMode::kAutomatic, 0.1, 2});
  objective.restore(cub.state.objective);
  EXPECT_EQ(number_named(objective.values(), "beta"), 0.23872849503329027);

  const CheckpointHead avuc = read_checkpoint_head(folder + "bnn-avuc.safetensors").value();
  EXPECT_EQ(avuc.state.early_stop.best, 0.26742424242424245);
  EXPECT_EQ(number_named(avuc.state.sums.own, "avuc"), 2.2197453677654266);
  AvucObjective other;
  other.restore(avuc.state.objective);
  EXPECT_EQ(number_named(other.values(), "avuc_threshold"), 1.2412015824027776);
  EXPECT_EQ(other.state().at("avuc").at("incorrect_count"), 46);
}

TEST(Checkpoint, AVersionToComeIsRefused) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("checkpoint.safetensors");
  const nlohmann::json head = {{"format", "cubcal-checkpoint"},
                               {"version", kTrainingStateVersion + 1}};
  write_safetensors(path, std::vector<TensorView>{}, {{"checkpoint", head.dump()}});
  expect_error<DataError>([&] { read_checkpoint_head(path); },
                          "not a cubcal checkpoint of version 1 to 2");
}

/// A checkpoint as an earlier program left it, without hashes, with a field of its head changed.
std::string refusal_of(const std::function<void(nlohmann::json& head)>& change) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("checkpoint.safetensors");
  nlohmann::json head = nlohmann::json::parse(checkpoint_head_text(some_head()));
  change(head);
  write_safetensors(path, std::vector<TensorView>{}, {{"checkpoint", head.dump()}});
  try {
    read_checkpoint_head(path);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(Checkpoint, APlaceThatCannotBeIsNamed) {
  const auto refused = [](const char* field, const nlohmann::json& value) {
    return refusal_of([&](nlohmann::json& head) { head["state"][field] = value; });
  };
  EXPECT_EQ(refused("epoch", 7), "");
  for (const char* field : {"stage", "epoch", "step", "images", "metrics_bytes"}) {
    for (const nlohmann::json& value : std::vector<nlohmann::json>{-1, 1.5, 1e300, "x", true}) {
      const std::string sentence = refused(field, value);
      EXPECT_NE(sentence.find("cannot be used (the checkpoint's field '" + std::string(field) +
                              "' must be a whole number from 0 on, not "),
                std::string::npos)
          << sentence;
    }
  }
  EXPECT_NE(refused("step", 1ULL << 62U).find("from 0 to 1000000000000"), std::string::npos);
  EXPECT_NE(refused("stage", 7).find("'stage' must be the number of finished stages, 1, not"),
            std::string::npos);
  EXPECT_NE(refused("sums", 3).find("a checkpoint needs the field 'loss'"), std::string::npos);
  EXPECT_NE(refused("finished", {{"epochs", 3}}).find("a list of objects"), std::string::npos);
  const auto of_run = [](const char* field, const nlohmann::json& value) {
    return refusal_of([&](nlohmann::json& head) { head[field] = value; });
  };
  for (const char* field : {"threads", "ranks"}) {
    EXPECT_EQ(of_run(field, 3), "");
    EXPECT_NE(of_run(field, 0).find("a whole number from 1 to 10"), std::string::npos);
    EXPECT_NE(of_run(field, 1ULL << 40U).find("a whole number from 1 to 10"), std::string::npos);
  }
  EXPECT_NE(refused("objective", nullptr).find("must be the state of the loss"), std::string::npos);
  EXPECT_NE(of_run("tensors_hash", "0").find("the hash of its head is missing"), std::string::npos);
}

TEST(Checkpoint, AHeadThatWasEditedIsNamed) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("checkpoint.safetensors");
  write_checkpoint(path, some_head(), nullptr, nullptr);
  std::string bytes = read_text_file(path, 1 << 20);
  const std::string step = R"(\"step\":3)";
  bytes.replace(bytes.find(step), step.size(), R"(\"step\":4)");
  write_file_atomically(path, bytes);
  expect_error<DataError>([&] { read_checkpoint_head(path); },
                          "was made of: the file was damaged or edited");
}

TEST(Checkpoint, WeightsThatWereDamagedAreNamed) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("checkpoint.safetensors");
  ParameterStore store;
  fill(store, 300'000);  // several parts
  FlatSgd sgd(store, {});
  write_checkpoint(path, some_head(), &store, &sgd);
  restore_checkpoint(path, store, sgd);
  std::string bytes = read_text_file(path, std::size_t{64} << 20);
  bytes[bytes.size() - 1'000'000] ^= 1;
  write_file_atomically(path, bytes);
  EXPECT_TRUE(read_checkpoint_head(path).has_value()) << "the head is whole";
  expect_error<DataError>([&] { restore_checkpoint(path, store, sgd); },
                          "was made of: the file was damaged or edited");
}

TEST(Checkpoint, PutsTensorsAndMomentaBack) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("checkpoint.safetensors");
  ParameterStore store;
  fill(store, 4);
  FlatSgd sgd(store, {});
  store.mu().copy_(at::arange(8, at::kFloat) / 3);
  store.buffer_values().fill_(0.25F);
  store.mu_gradient().fill_(0.5F);
  sgd.step(0.1);
  write_checkpoint(path, some_head(), &store, &sgd);

  ParameterStore other;
  fill(other, 4);
  FlatSgd other_sgd(other, {});
  restore_checkpoint(path, other, other_sgd);
  EXPECT_TRUE(at::equal(other.mu(), store.mu()));
  EXPECT_TRUE(at::equal(other.buffer_values(), store.buffer_values()));
  for (std::size_t i = 0; i < sgd.state().size(); ++i) {
    EXPECT_TRUE(at::equal(other_sgd.state()[i].second, sgd.state()[i].second));
  }

  ParameterStore larger;
  fill(larger, 5);
  FlatSgd larger_sgd(larger, {});
  expect_error<DataError>([&] { restore_checkpoint(path, larger, larger_sgd); },
                          "does not fit the network");
}

TEST(Checkpoint, ADamagedFileIsNamed) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("checkpoint.safetensors");
  write_file_atomically(path, "no tensors here");
  expect_error<DataError>([&] { read_checkpoint_head(path); },
                          "checkpoint.safetensors' cannot be used (");
}

}  // namespace
}  // namespace cubcal
