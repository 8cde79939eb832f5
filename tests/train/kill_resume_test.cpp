#include <fcntl.h>
#include <gtest/gtest.h>
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
convolution = "im2col"
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

  /// Sends the signal after `delay` unless the process has ended by then.
  Outcome signal_after(std::chrono::duration<double> delay, int signal) {
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(delay);
    while (Clock::now() < end) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) return {true, WEXITSTATUS(status)};
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
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

/// Seconds of a run that nobody disturbs.
double run_through(const std::string& recipe, const std::string& run) {
  const auto start = Clock::now();
  TrainingProcess process(recipe, run);
  const Outcome outcome = process.wait();
  EXPECT_TRUE(outcome.exited);
  EXPECT_EQ(outcome.code, 0) << bytes_of(run + ".log");
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void kill_and_resume(const std::string& method, std::uint64_t seed) {
  const test::ScratchFolder folder;
  const std::string recipe = write_recipe(folder, method);
  const double seconds = run_through(recipe, folder.file("through"));

  SeedStream random(seed, 0);
  int kills = 0;
  Outcome outcome;
  for (int round = 0; round < 5 && !outcome.exited; ++round) {
    TrainingProcess process(recipe, folder.file("killed"));
    outcome = process.signal_after(
        std::chrono::duration<double>(seconds * (0.15 + 0.6 * random.uniform())), SIGKILL);
    kills += outcome.exited ? 0 : 1;
  }
  EXPECT_GE(kills, 1);
  if (!outcome.exited) outcome = TrainingProcess(recipe, folder.file("killed")).wait();
  ASSERT_EQ(outcome.code, 0) << bytes_of(folder.file("killed.log"));
  expect_same_models(folder);
}

TEST(KillResume, CubLossEndsWithTheSameBytes) { kill_and_resume("bnn+cub", 1); }

TEST(KillResume, AvucLossEndsWithTheSameBytes) { kill_and_resume("bnn+avuc", 2); }

TEST(KillResume, CtrlCSaysHowToGoOn) {
  const test::ScratchFolder folder;
  const std::string recipe = write_recipe(folder, "bnn");
  const double seconds = run_through(recipe, folder.file("through"));
  TrainingProcess interrupted(recipe, folder.file("killed"));
  const Outcome outcome =
      interrupted.signal_after(std::chrono::duration<double>(0.6 * seconds), SIGINT);
  ASSERT_TRUE(outcome.exited);
  EXPECT_EQ(outcome.code, 1);
  const std::string log = bytes_of(folder.file("killed.log"));
  EXPECT_NE(log.find("go on with 'cubcal train --resume --out " + folder.file("killed") + "'"),
            std::string::npos)
      << log;
  EXPECT_EQ(TrainingProcess(recipe, folder.file("killed")).wait().code, 0);
  expect_same_models(folder);
}

}  // namespace
}  // namespace cubcal
