#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/program.h"
#include "cubcal/core/seed_stream.h"
#include "cubcal/io/atomic_file.h"

/// A real training process is killed at moments it does not choose and resumed, and must end with
/// the weights of one that ran through, bit for bit.
namespace cubcal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kRecipe = R"(
[data.phantom]
train = 200
val = 40
test = 8
ood = 8
image_size = 16
[stage1]
epochs = 5
batch = 16
[stage2]
method = "METHOD"
epochs = 5
batch = 16
passes = 3
learning_rate = 0.01
kl_reduction = "mean"
beta_mode = "auto"
beta_warmup_epochs = 2
[validation]
passes = 3
[output]
checkpoint_every_steps = 4
tensorboard = true
)";

struct Outcome {
  bool exited = false;  ///< by itself
  int code = -1;
};

/// A file that is replaced gets another number; 0: there is none.
::ino_t file_number(const std::string& path) {
  struct ::stat entry {};
  return ::stat(path.c_str(), &entry) == 0 ? entry.st_ino : 0;
}

class TrainingProcess {
 public:
  TrainingProcess(const std::string& recipe, const std::string& folder) {
    const std::string log = folder + ".log";
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int descriptor = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(descriptor, STDOUT_FILENO);
    ::dup2(descriptor, STDERR_FILENO);
    ::execl(CUBCAL_PROGRAM, "cubcal", "train", recipe.c_str(), "--out", folder.c_str(), "--resume",
            "--threads", "2", static_cast<char*>(nullptr));
    ::_exit(127);
  }

  Outcome wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return {WIFEXITED(status), WIFEXITED(status) ? WEXITSTATUS(status) : -1};
  }

  /// Waits until the run's checkpoint was written.
  static void wait_for_checkpoint(const std::string& run) {
    while (file_number(run + "/checkpoint.safetensors") == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  }

  /// Sends the signal a moment after the run's checkpoint was written `writes` times more. Ties the
  /// moment to the work done, whatever the machine's speed and load.
  Outcome signal_after_checkpoints(const std::string& run, int writes, Clock::duration moment,
                                   int signal) {
    const std::string checkpoint = run + "/checkpoint.safetensors";
    ::ino_t seen = file_number(checkpoint);
    while (writes > 0) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) return {true, WEXITSTATUS(status)};
      const ::ino_t now = file_number(checkpoint);
      if (now != seen) --writes;
      seen = now;
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    std::this_thread::sleep_for(moment);
    ::kill(pid_, signal);
    return wait();
  }

 private:
  ::pid_t pid_;
};

std::string bytes_of(const std::string& path) { return read_text_file(path, 1 << 28); }

std::string write_recipe(const test::ScratchFolder& folder, const std::string& method) {
  std::string text = kRecipe;
  text.replace(text.find("METHOD"), 6, method);
  write_file_atomically(folder.file("recipe.toml"), text);
  return folder.file("recipe.toml");
}

void expect_same_models(const test::ScratchFolder& folder) {
  for (const char* name : {"/last/weights.safetensors", "/best/weights.safetensors",
                           "/stage1/best/weights.safetensors"}) {
    EXPECT_EQ(bytes_of(folder.file("killed") + name), bytes_of(folder.file("through") + name))
        << name;
  }
}

void run_through(const std::string& recipe, const std::string& run) {
  const Outcome outcome = TrainingProcess(recipe, run).wait();
  EXPECT_TRUE(outcome.exited);
  EXPECT_EQ(outcome.code, 0) << bytes_of(run + ".log");
}

/// The run writes its checkpoint some forty times; four kills share them.
void kill_and_resume(const std::string& method, std::uint64_t seed) {
  const test::ScratchFolder folder;
  const std::string recipe = write_recipe(folder, method);
  run_through(recipe, folder.file("through"));

  SeedStream random(seed, 0);
  for (int round = 0; round < 4; ++round) {
    const int writes = 1 + static_cast<int>(6 * random.uniform());
    const std::chrono::duration<double, std::milli> moment(30 * random.uniform());
    const Outcome outcome =
        TrainingProcess(recipe, folder.file("killed"))
            .signal_after_checkpoints(folder.file("killed"), writes,
                                      std::chrono::duration_cast<Clock::duration>(moment), SIGKILL);
    ASSERT_FALSE(outcome.exited) << "round " << round << "\n"
                                 << bytes_of(folder.file("killed.log"));
  }
  const Outcome outcome = TrainingProcess(recipe, folder.file("killed")).wait();
  ASSERT_EQ(outcome.code, 0) << bytes_of(folder.file("killed.log"));
  expect_same_models(folder);
}

TEST(KillResume, CubLossEndsWithTheSameBytes) { kill_and_resume("bnn+cub", 1); }

TEST(KillResume, AvucLossEndsWithTheSameBytes) { kill_and_resume("bnn+avuc", 2); }

TEST(KillResume, ARunFolderHasOneWriter) {
  const test::ScratchFolder folder;
  const std::string recipe = write_recipe(folder, "bnn");
  const std::string run = folder.file("run");
  TrainingProcess first(recipe, run);
  TrainingProcess::wait_for_checkpoint(run);
  for (const char* how : {"--resume", "--force"}) {
    const test::Outcome second = test::run_cubcal({"train", recipe, "--out", run, how});
    EXPECT_EQ(second.exit_code, 1);
    EXPECT_NE(second.err.find("is being written by process"), std::string::npos) << second.err;
  }
  EXPECT_EQ(first.wait().code, 0) << bytes_of(run + ".log");
  EXPECT_FALSE(std::filesystem::exists(run + "/run.lock"));
}

TEST(KillResume, ARunFolderThatIsTakenAwayEndsTheRun) {
  const test::ScratchFolder folder;
  const std::string recipe = write_recipe(folder, "bnn");
  const std::string run = folder.file("run");
  TrainingProcess training(recipe, run);
  TrainingProcess::wait_for_checkpoint(run);
  std::filesystem::rename(run, folder.file("elsewhere"));
  EXPECT_EQ(training.wait().code, 1);
  const std::string log = bytes_of(run + ".log");
  EXPECT_NE(log.find("was removed or taken by another process"), std::string::npos) << log;
}

TEST(KillResume, CtrlCSaysHowToGoOn) {
  const test::ScratchFolder folder;
  const std::string recipe = write_recipe(folder, "bnn");
  run_through(recipe, folder.file("through"));
  TrainingProcess interrupted(recipe, folder.file("killed"));
  const Outcome outcome =
      interrupted.signal_after_checkpoints(folder.file("killed"), 20, Clock::duration(0), SIGINT);
  ASSERT_TRUE(outcome.exited);
  EXPECT_EQ(outcome.code, 130);
  const std::string log = bytes_of(folder.file("killed.log"));
  EXPECT_NE(log.find("go on with 'cubcal train --resume --out " + folder.file("killed") + "'"),
            std::string::npos)
      << log;
  EXPECT_EQ(TrainingProcess(recipe, folder.file("killed")).wait().code, 0);
  expect_same_models(folder);
}

}  // namespace
}  // namespace cubcal
