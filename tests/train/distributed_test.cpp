#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <thread>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/record/run_record.h"
#include "cubcal/weights/safetensors.h"
#include "train/rank_processes.h"

/// Real processes that train one network together over loopback, held against one that trains it
/// alone.
namespace cubcal::test {
namespace {

/// The last batch of an epoch has six images, of which four ranks have unequal shares.
constexpr const char* kRecipe = R"(
convolution = "panels"
threads = 1
[data.phantom]
train = 38
val = 18
test = 8
ood = 8
image_size = 16
[augmentation]
horizontal_flip = true
shift = 0.1
[stage1]
epochs = 1
batch = 16
[stage2]
method = "METHOD"
epochs = 2
batch = 16
passes = 4
learning_rate = 0.02
kl_reduction = "mean"
beta = 0.05
beta_warmup_epochs = 0
avuc_threshold_epochs = 1
[validation]
passes = 3
[output]
checkpoint_every_steps = 1
)";

/// Of the weights, after three steps of the first stage and six of the second, in float32. It is
/// 1e-5 here, as between two paths of convolutions of one process (docs/scale.md);
/// step_exchange_test holds ranks against one process in float64, to 1e-10.
constexpr double kTolerance = 5e-5;

std::string bytes_of(const std::string& path) { return read_text_file(path, 1 << 28); }

class Distributed : public ::testing::Test {
 protected:
  ScratchFolder scratch_;
  /// Of bnn+cub by one process and by two ranks over images: several tests look at them.
  static std::unique_ptr<ScratchFolder> shared_;

  static void TearDownTestSuite() { shared_.reset(); }

  std::string shared_run(const std::string& name) {
    if (shared_ == nullptr) {
      shared_ = std::make_unique<ScratchFolder>();
      std::filesystem::rename(run_alone("bnn+cub", "alone"), shared_->file("alone"));
      std::filesystem::rename(run_ranks(2, "images", "bnn+cub", "two"), shared_->file("two"));
    }
    return shared_->file(name);
  }

  std::string recipe(const std::string& method) {
    std::string text = kRecipe;
    text.replace(text.find("METHOD"), 6, method);
    const std::string path = scratch_.file(method + ".toml");
    write_file_atomically(path, text);
    return path;
  }

  std::string run_alone(const std::string& method, const std::string& name) {
    const std::string folder = scratch_.file(name);
    const Outcome outcome = run_cubcal({"train", recipe(method), "--out", folder});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return folder;
  }

  std::string run_ranks(int ranks, const std::string& over, const std::string& method,
                        const std::string& name, const std::vector<std::string>& more = {}) {
    const std::string folder = scratch_.file(name);
    std::vector<std::string> arguments = {recipe(method), "--out", folder, "--distributed", over};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const std::vector<RankOutcome> outcomes =
        RankProcesses(ranks, arguments, scratch_.path().string()).wait();
    for (const RankOutcome& outcome : outcomes) EXPECT_EQ(outcome.code, 0) << outcome.out;
    for (std::size_t rank = 1; rank < outcomes.size(); ++rank) EXPECT_EQ(outcomes[rank].out, "");
    words_ = outcomes.front().out;
    return folder;
  }

  std::string words_;  ///< what rank 0 said last
};

std::unique_ptr<ScratchFolder> Distributed::shared_;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Of two models of the same network, |a - b| / |a| of all that training moves by much: rho, which
/// it hardly does, would hide the rest.
double distance(const std::string& a, const std::string& b) {
  const TensorFile first = read_safetensors(a + "/weights.safetensors");
  const TensorFile second = read_safetensors(b + "/weights.safetensors");
  double squares = 0;
  double differences = 0;
  for (const NamedArray& entry : first.tensors.entries()) {
    const NdArray* other = second.tensors.find(entry.name);
    if (other == nullptr || other->size() != entry.values.size()) return INFINITY;
    if (ends_with(entry.name, ".rho")) continue;
    for (std::size_t i = 0; i < other->size(); ++i) {
      const double value = entry.values.as<float>()[i];
      squares += value * value;
      differences += std::pow(value - other->as<float>()[i], 2);
    }
  }
  return std::sqrt(differences / squares);
}

void expect_near(const std::string& run, const std::string& alone) {
  for (const char* model : {"/stage1/last", "/last"}) {
    const double found = distance(alone + model, run + model);
    EXPECT_LT(found, kTolerance) << run << model;
    EXPECT_GT(found, 0) << "nothing was shared out";
  }
}

void expect_same_bytes(const std::string& run, const std::string& other) {
  for (const char* model : {"/stage1/last", "/last"}) {
    EXPECT_EQ(bytes_of(run + model + "/weights.safetensors"),
              bytes_of(other + model + "/weights.safetensors"))
        << run << model;
  }
}

TEST_F(Distributed, RanksOverImagesTrainTheNetworkOfOneProcess) {
  const std::string alone = shared_run("alone");
  const std::string two = shared_run("two");
  expect_near(two, alone);
  const std::string again = run_ranks(2, "images", "bnn+cub", "again");
  EXPECT_NE(words_.find("distributed: 2 ranks over images by gloo and shared memory"),
            std::string::npos)
      << words_;
  const RunRecord record = read_run_record(two + "/record.json");
  ASSERT_TRUE(record.distributed);
  EXPECT_EQ(record.distributed->ranks, 2);
  EXPECT_EQ(record.distributed->split, "images");
  EXPECT_FALSE(read_run_record(alone + "/record.json").distributed);
  EXPECT_FALSE(std::filesystem::exists(two + "/run.lock"));
  expect_same_bytes(again, two);
  expect_near(run_ranks(4, "images", "bnn+cub", "four"), alone);
}

TEST_F(Distributed, RanksOverPassesTrainTheNetworkOfOneProcess) {
  const std::string alone = run_alone("bnn+avuc", "alone");
  const std::string two = run_ranks(2, "passes", "bnn+avuc", "two");
  expect_near(two, alone);
  expect_same_bytes(run_ranks(2, "passes", "bnn+avuc", "again"), two);
  expect_near(run_ranks(4, "passes", "bnn+avuc", "four"), alone);
}

TEST_F(Distributed, ARankThatDiesEndsTheJobAndAnotherNumberGoesOn) {
  for (const int dead : {1, 0}) {
    const std::string folder = scratch_.file("killed" + std::to_string(dead));
    RankProcesses ranks(2, {recipe("bnn+cub"), "--out", folder, "--distributed", "images"},
                        scratch_.path().string());
    while (!std::filesystem::exists(folder + "/checkpoint.safetensors") && ranks.is_running(dead)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ranks.signal(dead, SIGKILL);
    const std::vector<RankOutcome> outcomes = ranks.wait();
    const RankOutcome& left = outcomes[static_cast<std::size_t>(1 - dead)];
    EXPECT_EQ(left.code, 1) << left.out;
    EXPECT_NE(left.out.find("rank " + std::to_string(1 - dead) + " of 2 lost another rank"),
              std::string::npos)
        << left.out;
    EXPECT_NE(left.out.find("start all of them again with --resume"), std::string::npos);
  }
  run_ranks(4, "images", "bnn+cub", "killed1", {"--resume"});
  EXPECT_NE(words_.find("was trained by 2 ranks over images and goes on with 4 ranks over images"),
            std::string::npos)
      << words_;
  expect_near(scratch_.file("killed1"), shared_run("alone"));
  run_ranks(2, "images", "bnn+cub", "killed0", {"--resume"});
  expect_same_bytes(scratch_.file("killed0"), shared_run("two"));
  run_ranks(2, "images", "bnn+cub", "killed0", {"--resume"});
  EXPECT_NE(words_.find("there is nothing to go on with"), std::string::npos) << words_;
}

TEST_F(Distributed, CtrlCOfOneRankStopsAll) {
  const std::string folder = scratch_.file("run");
  RankProcesses ranks(2, {recipe("bnn"), "--out", folder, "--distributed", "passes"},
                      scratch_.path().string());
  while (!std::filesystem::exists(folder + "/checkpoint.safetensors") && ranks.is_running(1)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ranks.signal(1, SIGINT);
  const std::vector<RankOutcome> outcomes = ranks.wait();
  EXPECT_EQ(outcomes[0].code, 130) << outcomes[0].out;
  EXPECT_EQ(outcomes[1].code, 130) << outcomes[1].out;
  EXPECT_NE(outcomes[0].out.find("go on with 'cubcal train --resume"), std::string::npos);
  EXPECT_EQ(outcomes[1].out, "");
}

TEST_F(Distributed, WhatCannotBeIsRefusedInASentence) {
  const std::string path = recipe("bnn");
  const std::map<std::string, std::string> three = {
      {"RANK", "0"}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "127.0.0.1"}};
  const auto refused = [&](const std::string& over, int code, const std::string& text,
                           const std::map<std::string, std::string>& variables) {
    const Outcome outcome = run_cubcal({"train", path, "--out", scratch_.file("none"),
                                        "--rank-timeout", "1", "--distributed", over},
                                       scratch_.path(), variables);
    EXPECT_EQ(outcome.exit_code, code);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  refused("images", 2, "RANK is set and WORLD_SIZE is not", {{"RANK", "0"}});
  refused("images", 2, "a batch of 16 images (method deterministic) cannot be shared out", three);
  refused("layers", 2, "--distributed must be images or passes, not 'layers'", three);
  refused(
      "images", 1, "rank 0 of 2 did not meet the others at 127.0.0.1",
      {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "29713"}});
  EXPECT_FALSE(std::filesystem::exists(scratch_.file("none")));
}

}  // namespace
}  // namespace cubcal::test
