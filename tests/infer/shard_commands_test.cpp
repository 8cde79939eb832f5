// Shards of predict and logits, and merge, as a user meets them: the program in other processes.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/program.h"
#include "cubcal_nn/infer/provenance.h"
#include "cubcal_nn/models/registry.h"
#include "cubcal_nn/phantom/phantom.h"
#include "infer/tiny_model.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

class ShardCommands : public testing::TestWithParam<LayerKind> {
 protected:
  void SetUp() override {
    PhantomOptions phantom;
    phantom.seed = 3;
    phantom.train = 8;
    phantom.val = 11;
    phantom.test = 4;
    phantom.ood = 6;
    const ImageSet set = make_phantom_set(phantom).set;
    ModelDescription description;
    description.network = "small-resnet";
    description.class_names = set.class_names;
    description.kind = GetParam();
    description.preprocessing = fit_preprocessing(set.split("train").images);
    description.provenance.data = "phantom";
    description.provenance.data_hash = content_hash(set);
    description.provenance.phantom = to_json(phantom);
    save("model", description, 1);
    save("other", description, 2);
    for (const char* name : {"gray8.png", "gray16.png", "gray.jpg", "rgb8.png", "rgba8.png"}) {
      fs::create_directories(scratch.file("images"));
      fs::copy(fs::path(CUBCAL_TEST_DATA) / "images" / name, scratch.file("images/") + name);
    }
    std::ofstream(scratch.file("images/broken.png")) << "no image";
  }
  void save(const std::string& folder, const ModelDescription& description, std::uint64_t seed) {
    NetworkOptions options = description.network_options(c10::Device("cpu"));
    options.seed = seed;
    save_model(scratch.file(folder), description, *make_network("small-resnet", options));
  }

  Outcome run(const std::vector<std::string>& arguments,
              const std::map<std::string, std::string>& variables = {}) const {
    return run_cubcal(arguments, scratch.path(), variables);
  }
  std::vector<std::string> predict(const std::string& lines,
                                   const std::vector<std::string>& more) const {
    std::vector<std::string> words{"predict", "--model", "model",   "images",
                                   "--mc",    "3",       "--jsonl", lines};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static std::vector<std::string> logits(const std::string& output,
                                         const std::vector<std::string>& more) {
    std::vector<std::string> words{"logits", "--model", "model", "--data", "phantom", "--split",
                                   "val",    "--mc",    "3",     "-o",     output,    "--features"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// Merges the shards of `stem` and holds the result against the whole file.
  void expect_whole(const std::string& stem, const std::string& ending, std::size_t shards,
                    const std::string& whole) const {
    std::vector<std::string> words{"merge", "-o", "merged" + ending};
    for (std::size_t i = 1; i <= shards; ++i) {
      words.push_back(stem + "." + std::to_string(i) + "-of-" + std::to_string(shards) + ending);
    }
    const Outcome merged = run(words);
    ASSERT_EQ(merged.exit_code, 0) << merged.err;
    EXPECT_EQ(contents_of(scratch.file("merged" + ending)), contents_of(scratch.file(whole)));
  }

  ScratchFolder scratch;
};

TEST_P(ShardCommands, MergedPredictionsAreThoseOfOneProcess) {
  run(predict("whole.jsonl", {"--no-time", "--convolution", "panels"}));
  for (const std::size_t count : {1U, 2U, 4U}) {
    for (std::size_t i = 1; i <= count; ++i) {
      const std::string shard = std::to_string(i) + "/" + std::to_string(count);
      const Outcome outcome = run(predict("part.jsonl", {"--shard", shard}));
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    }
    expect_whole("part", ".jsonl", count, "whole.jsonl");
  }
}

TEST_P(ShardCommands, MergedLogitsAreThoseOfOneProcess) {
  ASSERT_EQ(run(logits("whole.npz", {"--convolution", "panels"})).exit_code, 0);
  for (const std::size_t count : {1U, 2U, 4U}) {
    for (std::size_t i = 1; i <= count; ++i) {
      const std::string shard = std::to_string(i) + "/" + std::to_string(count);
      // Another batch, too: nothing of the result may follow from it.
      const Outcome outcome = run(logits("part.npz", {"--shard", shard, "--batch", "3"}));
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    }
    expect_whole("part", ".npz", count, "whole.npz");
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ShardCommands,
                         testing::Values(LayerKind::kDeterministic, LayerKind::kVariational,
                                         LayerKind::kMcDropout));

class OneShard : public ShardCommands {};

TEST_P(OneShard, WhatIsDoneIsLeftAsItIsAndAnotherModelIsRefused) {
  const std::string file = "part.1-of-2.jsonl";
  ASSERT_EQ(run(predict("part.jsonl", {"--shard", "1/2"})).exit_code, 0);
  const auto written = fs::last_write_time(scratch.file(file));
  const Outcome again = run(predict("part.jsonl", {"--shard", "1/2"}));
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_NE(again.out.find("done before"), std::string::npos) << again.out;
  EXPECT_EQ(fs::last_write_time(scratch.file(file)), written);

  const Outcome seeded = run(predict("part.jsonl", {"--shard", "1/2", "--seed", "5"}));
  EXPECT_EQ(seeded.exit_code, 1);
  EXPECT_NE(seeded.err.find("other settings"), std::string::npos) << seeded.err;

  std::vector<std::string> other = predict("part.jsonl", {"--shard", "2/2"});
  other[2] = "other";
  ASSERT_EQ(run(other).exit_code, 0);
  const Outcome mixed = run({"merge", file, "part.2-of-2.jsonl", "-o", "merged.jsonl"});
  EXPECT_EQ(mixed.exit_code, 1);
  EXPECT_NE(mixed.err.find("shards of different models cannot be merged: weights_hash"),
            std::string::npos)
      << mixed.err;
  EXPECT_FALSE(fs::exists(scratch.file("merged.jsonl")));
}

TEST_P(OneShard, DoneLogitsAreLeftAsTheyAre) {
  ASSERT_EQ(run(logits("part.npz", {"--shard", "2/2"})).exit_code, 0);
  const Outcome again = run(logits("part.npz", {"--shard", "2/2"}));
  EXPECT_NE(again.out.find("there already: part.2-of-2.npz"), std::string::npos) << again.out;
  const Outcome other = run(logits("part.npz", {"--shard", "2/2", "--seed", "9"}));
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.err.find("other settings"), std::string::npos) << other.err;
}

TEST_P(OneShard, AMixOfConvolutionPathsIsRefused) {
  ASSERT_EQ(run(predict("part.jsonl", {"--shard", "1/2"})).exit_code, 0);
  ASSERT_EQ(run(predict("part.jsonl", {"--shard", "2/2", "--convolution", "im2col"})).exit_code, 0);
  const Outcome mixed =
      run({"merge", "part.1-of-2.jsonl", "part.2-of-2.jsonl", "-o", "merged.jsonl"});
  EXPECT_EQ(mixed.exit_code, 1);
  EXPECT_NE(mixed.err.find("compute is \"cpu, panels\""), std::string::npos) << mixed.err;
}

TEST_P(OneShard, ASchedulerIsAskedOnlyWhereItIsMeant) {
  const std::map<std::string, std::string> pod{{"JOB_COMPLETION_INDEX", "1"}};
  run(predict("whole.jsonl", {}), pod);
  EXPECT_TRUE(fs::exists(scratch.file("whole.jsonl")));
  EXPECT_EQ(run(predict("part.jsonl", {"--shard", "auto/2"}), pod).exit_code, 0);
  EXPECT_TRUE(fs::exists(scratch.file("part.2-of-2.jsonl")));
  EXPECT_EQ(run(predict("part.jsonl", {"--shard", "auto"}), pod).exit_code, 2);
  EXPECT_EQ(run({"predict", "--model", "model", "images", "--shard", "1/2"}).exit_code, 2);
  EXPECT_EQ(run(predict("-", {"--shard", "1/2"})).exit_code, 2);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OneShard, testing::Values(LayerKind::kMcDropout));

}  // namespace
}  // namespace cubcal::test
