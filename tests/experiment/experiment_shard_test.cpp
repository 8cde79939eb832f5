// Several processes that share the runs of a grid in one folder.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/folder_lock.h"

namespace cubcal::test {
namespace {

constexpr const char* kSharedExperiment = R"(
[data.phantom]
train = 60
val = 40
test = 40
ood = 20
image_size = 16
[model]
network = "small-resnet"
[stage1]
epochs = 1
[stage2]
epochs = 1
passes = 2
beta_warmup_epochs = 0
[validation]
passes = 2
[experiment]
methods = ["bnn", "mc-dropout"]
passes = 4
seeds = 2
)";

class ExperimentShards : public testing::Test {
 protected:
  void SetUp() override { write_file_atomically(folder.file("small.toml"), kSharedExperiment); }

  Outcome run(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"experiment",  "small.toml", "--out",     "runs",
                                   "--bootstrap", "20",         "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return run_cubcal(words, folder.path());
  }
  static std::size_t count(const std::string& text, const std::string& words) {
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != std::string::npos;
         at = text.find(words, at + 1)) {
      ++found;
    }
    return found;
  }

  ScratchFolder folder;
};

TEST_F(ExperimentShards, TwoAtOnceMakeEveryRunOnceAndTheLastMakesTheTables) {
  Outcome first, second;
  std::thread other([&] { first = run({"--shard", "1/2"}); });
  second = run({"--shard", "2/2"});
  other.join();
  ASSERT_EQ(first.exit_code, 0) << first.err;
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_NE(first.out.find("shard 1/2: 3 of them, 3 to make"), std::string::npos) << first.out;
  EXPECT_NE(second.out.find("shard 2/2: 3 of them"), std::string::npos) << second.out;
  const std::string both = first.out + second.out;
  // The six runs of the grid, each by one process.
  EXPECT_EQ(count(both, "  epoch 1/1"), count(both, "] full/seed")) << both;
  EXPECT_EQ(count(both, "] full/seed"), 6U) << both;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path() / "runs/records"), {}),
            6);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "runs/results.md"));

  const Outcome joined = run_cubcal({"results", "runs/records"}, folder.path());
  EXPECT_NE(joined.out.find("6 runs, 2 seeds"), std::string::npos) << joined.out;
  const Outcome again = run({"--shard", "2/2"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("shard 2/2: 3 of them, 0 to make"), std::string::npos) << again.out;
}

TEST_F(ExperimentShards, OneAloneMakesItsShareAndLeavesTheRest) {
  const Outcome outcome = run({"--shard", "3/3"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("runs are left to other shards"), std::string::npos) << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "runs/results.md"));
  EXPECT_EQ(run({"--shard", "4/3"}).exit_code, 2);
}

TEST_F(ExperimentShards, ARunWhoseMakerDiesIsTakenOver) {
  const std::string claimed = folder.file("runs/full/seed1/deterministic");
  make_folders(claimed);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t maker = ::fork();
  if (maker == 0) {
    const FolderLock lock(claimed);
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const std::string command = "cd " + folder.path().string() + " && " + CUBCAL_PROGRAM +
                              " experiment small.toml --out runs --bootstrap 20 --threads 1"
                              " --shard 1/1 --only full/seed1/bnn 2>&1";
  std::FILE* shard = ::popen(command.c_str(), "r");
  ASSERT_NE(shard, nullptr);
  bool waited = false;
  std::string out;
  for (std::array<char, 4096> line{}; std::fgets(line.data(), line.size(), shard) != nullptr;) {
    out += line.data();
    if (waited || out.find("waiting for other processes") == std::string::npos) continue;
    waited = true;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "runs/records"));
    ::kill(maker, SIGKILL);
    ::waitpid(maker, nullptr, 0);
  }
  if (!waited) ::kill(maker, SIGKILL);
  EXPECT_EQ(::pclose(shard), 0) << out;
  EXPECT_TRUE(waited) << out;
  EXPECT_TRUE(
      std::filesystem::exists(folder.path() / "runs/records/full-seed1-deterministic.json"));
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace cubcal::test
