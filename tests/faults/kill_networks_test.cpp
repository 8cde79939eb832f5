// Commands that make and change models are killed at moments they do not choose: the model they
// found or the one they made works, and an unfinished run is finished by the same command.
//
// CUBCAL_KILLS=20 kills each of the five so often.

#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "faults/killed_run.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecipe = R"(
[data.phantom]
train = 60
val = 24
test = 24
ood = 12
image_size = 16
[stage1]
epochs = 2
[stage2]
method = "bnn"
kl_reduction = "mean"
epochs = 2
passes = 2
[validation]
passes = 2
[output]
checkpoint_every_steps = 1
[experiment]
methods = ["bnn"]
passes = 2
seeds = 1
)";

/// Loading LibTorch takes this share of a short run; nothing is written before.
constexpr double kEarliest = 0.3;

class KillNetworks : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch = new ScratchFolder;
    write_file_atomically(scratch->file("small.toml"), kRecipe);
    run({"example", "--out", ".", "--images"});
    run({"train", "small.toml", "--out", "run"});
    run({"logits", "--model", "run/last", "--data", "phantom", "--split", "val", "--mc", "2", "-o",
         "val.npz"});
    run({"calibrate", "val.npz", "--method", "ts-nll", "-o", "cal.json"});
    run({"ood", "--model", "run", "--data", "phantom", "--mc", "2", "--bootstrap", "20",
         "--detectors", "mahalanobis", "--fit"});
  }
  static void TearDownTestSuite() { delete scratch; }

  static Outcome run(const std::vector<std::string>& arguments) {
    const Outcome outcome = run_cubcal(arguments, scratch->path());
    EXPECT_EQ(outcome.exit_code, 0) << arguments.front() << ": " << outcome.err;
    return outcome;
  }

  /// The model in this folder answers.
  static std::string answer_of(const std::string& model) {
    return run({"predict", "--model", model, "images/image-0.png", "--mc", "2"}).out;
  }

  static void expect_no_kill_breaks(const std::vector<std::string>& arguments,
                                    const std::string& model, const std::string& words) {
    const Seconds length = time_of(arguments, scratch->path());
    for (std::size_t i = 0; i < kills_or(2) && !HasFailure(); ++i) {
      run_and_kill(arguments, scratch->path(), random_moment(random, length, kEarliest));
      const std::string answer = answer_of(model);
      EXPECT_NE(answer.find(words), std::string::npos) << answer;
    }
    run(arguments);
  }

  /// Kills runs of the command, each of which goes on where the one before ended, and lets one end.
  static void expect_it_goes_on(const std::vector<std::string>& arguments,
                                const std::string& folder, const std::string& last_file) {
    const Seconds length = time_of(arguments, scratch->path());
    fs::remove_all(scratch->path() / folder);
    for (std::size_t i = 0; i < kills_or(3); ++i) {
      const bool ended =
          run_and_kill(arguments, scratch->path(), random_moment(random, length, kEarliest));
      if (ended) fs::remove_all(scratch->path() / folder);  // from the start again
    }
    run(arguments);
    EXPECT_TRUE(fs::is_regular_file(scratch->path() / folder / last_file));
  }

  static inline ScratchFolder* scratch = nullptr;
  static inline SeedStream random{18, 0};
};

TEST_F(KillNetworks, Train) {
  expect_it_goes_on({"train", "small.toml", "--out", "again", "--resume"}, "again", "record.json");
  answer_of("again");
}

TEST_F(KillNetworks, Experiment) {
  expect_it_goes_on({"experiment", "small.toml", "--out", "grid", "--bootstrap", "20"}, "grid",
                    "report.html");
}

TEST_F(KillNetworks, FittingAVerdict) {
  expect_no_kill_breaks({"ood", "--model", "run", "--data", "phantom", "--mc", "2", "--bootstrap",
                         "20", "--detectors", "mahalanobis", "--fit"},
                        "run", "by combined");
}

TEST_F(KillNetworks, Attach) {
  fs::copy(scratch->path() / "run" / "last", scratch->path() / "calibrated");
  expect_no_kill_breaks({"attach", "cal.json", "--model", "calibrated"}, "calibrated",
                        "Calibrated with ts-nll");
}

TEST_F(KillNetworks, Import) {
  expect_no_kill_breaks(
      {"import", "run/stage1/best/weights.safetensors", "--network", "small-resnet", "--classes",
       "4", "--size", "16", "-o", "imported", "--force"},
      "imported", "verdict");
}

}  // namespace
}  // namespace cubcal::test
