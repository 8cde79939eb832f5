// Every write path of the program where the system refuses: the disk is full, it fails, or there is
// no memory. Each ends with a sentence and exit code 1, and every file is the earlier or the new
// one.
//
// CUBCAL_FAULTS=all tries every call instead of growing steps.

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "cubcal/io/logits_file.h"
#include "faults/failing_run.h"
#include "faults/write_commands.h"

namespace cubcal::test {
namespace {

/// Tests that follow each other closely at first, and further apart when calls are many.
/// Where the program loads LibTorch for it, a run takes long.
long next_call(long number, long dense, bool is_slow) {
  if (every_call_is_wanted()) return number + 1;
  if (is_slow) return 2 * number + 1;
  return number + 1 + std::max(0L, number - dense) / 2;
}

/// Whether the command belongs to the program with networks, where there is one.
bool is_handed_over(const WriteCommand& command) {
  const std::string& word = command.arguments.front();
  return CUBCAL_HAS_NETWORKS && (word == "data" || word == "report");
}

class FaultInjection : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch = new ScratchFolder;
    make_inputs(scratch->path());
  }
  static void TearDownTestSuite() { delete scratch; }

  /// Fails the n-th `call` of every command, the reasons by turns, for n from 1 until the command
  /// makes no more of them.
  static void drive(const std::string& call, long dense, const std::vector<int>& reasons) {
    for (const WriteCommand& command : write_commands()) {
      const bool is_slow = is_handed_over(command);
      // What LibTorch does without memory is not the program's.
      if (is_slow && call == "malloc") continue;
      const Rewriting files(scratch->path(), command);
      long tried = 0;
      for (long number = 1; !HasFailure(); number = next_call(number, dense, is_slow)) {
        const int reason = reasons[static_cast<std::size_t>(tried++) % reasons.size()];
        if (!strike(command, files, call, number, reason)) break;
      }
      EXPECT_GT(tried, 1) << command.name << " makes no call of " << call;
      if (HasFailure()) return;
    }
  }

  /// False where the command made fewer calls.
  static bool strike(const WriteCommand& command, const Rewriting& files, const std::string& call,
                     long number, int reason) {
    files.reset();
    const Fault fault{call, number, reason};
    const FailingRun run = run_with(fault, command.arguments, scratch->path());
    const bool struck = run.struck;
    const std::string after = command.name + " after " + fault.text();
    if (struck && command.tells_of_files && call == "open" && run.outcome.exit_code == 0) {
      files.expect_no_others(after, false);
      return true;
    }
    expect_sentence(run, after);
    files.expect_whole(after, false);
    EXPECT_TRUE(struck || files.is_complete()) << after;
    return struck;
  }

  static inline ScratchFolder* scratch = nullptr;
};

TEST_F(FaultInjection, AWriteThatFails) { drive("write", 8, {ENOSPC, EIO}); }

TEST_F(FaultInjection, ASyncThatFails) { drive("fsync", 8, {EIO}); }

TEST_F(FaultInjection, ARenameThatFails) { drive("rename", 8, {EIO, ENOSPC}); }

TEST_F(FaultInjection, AnOpenThatFails) { drive("open", 8, {EIO, ENOSPC}); }

TEST_F(FaultInjection, NoMemoryFromACallOn) { drive("malloc", 2, {ENOMEM}); }

TEST_F(FaultInjection, AFileThatIsCutUnderManyThreadsIsOneSentence) {
  const ScratchFolder folder;
  LogitsFile file;
  file.logits = NdArray(DType::kF32, {20, 40000, 7});  // large enough to be mapped
  for (std::size_t i = 0; i < file.logits.size(); ++i) {
    file.logits.as<float>()[i] = static_cast<float>(i % 1000) / 100;
  }
  file.has_labels = true;
  file.labels.assign(40000, 1);
  int told = 0;
  for (int delay = 2; delay < 400 && told < 6; delay += 2) {
    write_logits_file(folder.file("large.npz"), file);
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
      std::filesystem::resize_file(folder.file("large.npz"), 100000);
    });
    const Outcome outcome =
        run_cubcal({"evaluate", "large.npz", "--bootstrap", "20", "--threads", "16"}, folder.path(),
                   {{"LD_PRELOAD", CUBCAL_FAILING_CALLS}, {"CUBCAL_SLOW_MESSAGES", "20"}});
    other.join();
    // Otherwise it was cut before it was opened, or after it was read.
    if (outcome.err.find("became shorter") == std::string::npos) continue;
    ++told;
    EXPECT_EQ(outcome.err, "cubcal: 'large.npz' became shorter while it was being read\n");
  }
  EXPECT_GT(told, 0);
}

}  // namespace
}  // namespace cubcal::test
