#include <gtest/gtest.h>

#include <cstdlib>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"

namespace cubcal::test {
namespace {

constexpr const char* kRecipe = R"([data.phantom]
train = 60
val = 30
test = 8
ood = 8
image_size = 16
[stage1]
epochs = 1
)";

class TrainCommand : public testing::Test {
 protected:
  void SetUp() override { write_file_atomically(folder_.file("r.toml"), kRecipe); }

  Outcome train(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "train");
    return run_cubcal(arguments, folder_.path());
  }

  ScratchFolder folder_;
};

void expect_failure(const Outcome& outcome, int code, const std::string& words) {
  EXPECT_EQ(outcome.exit_code, code);
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
}

TEST_F(TrainCommand, TrainsIntoTheRunFolderAndKeepsItUnlessForced) {
  const Outcome first = train({"r.toml"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.out.find("epoch 1/1: loss"), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("convolutions by"), std::string::npos) << first.out;
  for (const char* name : {"best/model.json", "last/weights.safetensors", "recipe.toml",
                           "metrics.jsonl", "record.json", "checkpoint.safetensors"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "runs" / "r" / name)) << name;
  }
  EXPECT_NE(first.out.find(" s, at "), std::string::npos) << "the time of day: " << first.out;
  const std::string log = contents_of(folder_.path() / "runs/r/train.log");
  EXPECT_EQ(log.find("Z  images: "), 19U) << log;
  EXPECT_NE(log.find("Z  epoch 1/1: loss"), std::string::npos) << log;
  expect_failure(train({"r.toml"}), 2, "holds a finished run: --force replaces it");
  expect_failure(train({"r.toml", "--resume", "--force"}), 2,
                 "--resume goes on with a run and --force replaces it: give one of them");
  expect_failure(train({"r.toml", "--set", "stages=[]"}), 2, "a run needs at least one stage");
  const Outcome resumed = train({"--resume", "--out", "runs/r"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_NE(resumed.out.find("there is nothing to go on with"), std::string::npos) << resumed.out;
  expect_failure(train({"r.toml", "--force", "--data", "absent"}), 1, "absent");
  expect_failure(train({"r.toml", "--force", "--set", "model.network=resnet99"}), 2,
                 "there is no network named 'resnet99'");
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "runs/r/best/model.json"))
      << "what cannot be replaced is kept";
  EXPECT_EQ(train({"r.toml", "--force", "--set", "seed=2"}).exit_code, 0);
}

TEST_F(TrainCommand, ErrorsInTheRecipeAreUsageErrors) {
  expect_failure(train({"r.toml", "--set", "stage1.epoch=3"}), 2, "did you mean 'stage1.epochs'?");
  expect_failure(train({}), 2, "needs a RECIPE");
  expect_failure(train({"absent.toml"}), 1, "absent.toml");
  expect_failure(train({"r.toml", "--set", "stage1.learning_rate=1e30", "--set", "stage1.epochs=2",
                        "--out", "broken"}),
                 1, "lower learning_rate");
}

TEST_F(TrainCommand, AFailureInsideLibTorchIsOneSentence) {
  const Outcome outcome =
      train({"r.toml", "--set", "data.phantom.image_size=400000", "--out", "huge"});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.err.find("frame #"), std::string::npos) << outcome.err;
}

/// Sets a variable of the environment while it lives.
struct Variable {
  Variable(const char* variable, const char* value) : name(variable) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name); }
  const char* name;
};

TEST_F(TrainCommand, ThreadsWaitAsleepUnlessToldOtherwise) {
  const Variable shown("OMP_DISPLAY_ENV", "true");
  const std::string own = train({"--help"}).err;
  EXPECT_NE(own.find("OMP_WAIT_POLICY = 'PASSIVE'"), std::string::npos) << own;
  const Variable told("OMP_WAIT_POLICY", "active");
  EXPECT_NE(train({"--help"}).err.find("OMP_WAIT_POLICY = 'ACTIVE'"), std::string::npos);
}

}  // namespace
}  // namespace cubcal::test
