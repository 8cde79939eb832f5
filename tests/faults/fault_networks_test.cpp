// Every write path of the network half where the system refuses: each command ends with a sentence
// and exit code 1, the model it found or the one it made works, nothing half-written stays, and the
// same command goes on from there and finishes.
//
// CUBCAL_FAULTS=all tries every call, each from the start, instead of growing steps.

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "cubcal/core/words.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/ood/verdict_folder.h"
#include "faults/failing_run.h"
#include "faults/network_commands.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

class FaultNetworks : public testing::TestWithParam<NetworkCommand> {
 protected:
  static void SetUpTestSuite() {
    scratch = new ScratchFolder;
    make_networks(scratch->path());
  }
  static void TearDownTestSuite() { delete scratch; }

  static void expect_nothing_half(const std::string& after) {
    for (const auto& entry : fs::recursive_directory_iterator(scratch->path())) {
      EXPECT_FALSE(starts_with(entry.path().filename().string(), ".cubcal-"))
          << after << " left " << entry.path();
    }
  }

  static void expect_it_loads(const NetworkCommand& command, const std::string& after) {
    if (command.earlier.empty() || command.words.empty()) return;
    EXPECT_NO_THROW(load_verdict(load_model(scratch->file("out")))) << after;
  }

  /// The log is not what a run is for: it goes on, and says so.
  static bool is_of_the_log(const FailingRun& run) {
    return run.outcome.exit_code == 0 && run.outcome.err.find("train.log'") != std::string::npos;
  }

  /// Strikes the n-th call for growing n, until the command makes fewer and finishes.
  static void drive(const NetworkCommand& command, Fault fault) {
    const bool is_every = every_call_is_wanted();
    reset_out(scratch->path(), command);
    for (bool is_struck = true; is_struck && !HasFailure();) {
      if (is_every) reset_out(scratch->path(), command);
      const FailingRun run = run_with(fault, command.arguments, scratch->path());
      const std::string after = command.name + " after " + fault.text();
      is_struck = run.struck;
      if (!is_of_the_log(run)) expect_sentence(run, after);
      expect_nothing_half(after);
      expect_it_loads(command, after);
      if (is_every && is_struck) run_well(command.arguments, scratch->path());
      fault.number = is_every ? fault.number + 1 : 8 * fault.number;
    }
    EXPECT_TRUE(fs::is_regular_file(scratch->path() / "out" / command.last_file)) << fault.text();
  }

  static inline ScratchFolder* scratch = nullptr;
};

TEST_P(FaultNetworks, EndWithASentence) {
  for (const Fault& fault :
       {Fault{"write", 1, ENOSPC}, Fault{"fsync", 1, EIO}, Fault{"rename", 1, EIO},
        Fault{"create", 1, ENOSPC}, Fault{"mkdir", 1, ENOSPC}}) {
    drive(GetParam(), fault);
    if (HasFailure()) return;
  }
  expect_it_answers(scratch->path(), GetParam(), "the end");
}

INSTANTIATE_TEST_SUITE_P(Commands, FaultNetworks, testing::ValuesIn(network_commands()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace cubcal::test
