// Commands that make and change models are killed at moments they do not choose: the model they
// found or the one they made works, and what is unfinished is finished by the same command.
//
// CUBCAL_KILLS=20 kills each of them so often.

#include <gtest/gtest.h>

#include "faults/killed_run.h"
#include "faults/network_commands.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

/// Loading LibTorch takes this share of a short run; nothing is written before.
constexpr double kEarliest = 0.3;

class KillNetworks : public testing::TestWithParam<NetworkCommand> {
 protected:
  static void SetUpTestSuite() {
    scratch = new ScratchFolder;
    make_networks(scratch->path());
  }
  static void TearDownTestSuite() { delete scratch; }

  static inline ScratchFolder* scratch = nullptr;
  static inline SeedStream random{18, 0};
};

TEST_P(KillNetworks, BreakNothing) {
  const NetworkCommand& command = GetParam();
  const fs::path& folder = scratch->path();
  reset_out(folder, command);
  const Seconds length = time_of(command.arguments, folder);
  reset_out(folder, command);
  for (std::size_t i = 0; i < kills_or(command.earlier.empty() ? 3 : 2) && !HasFailure(); ++i) {
    const bool ended =
        run_and_kill(command.arguments, folder, random_moment(random, length, kEarliest));
    if (!command.earlier.empty()) {
      expect_it_answers(folder, command, "kill " + std::to_string(i));
    }
    if (ended) reset_out(folder, command);  // from the start again
  }
  run_well(command.arguments, folder);
  expect_it_answers(folder, command, "the end");
  EXPECT_TRUE(fs::is_regular_file(folder / "out" / command.last_file));
}

INSTANTIATE_TEST_SUITE_P(Commands, KillNetworks, testing::ValuesIn(network_commands()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace cubcal::test
