// Commands that write files are killed at moments they do not choose: every file is the earlier or
// the new one, and the next run works.
//
// CUBCAL_KILLS=100 kills each so often.

#include <gtest/gtest.h>

#include "faults/killed_run.h"
#include "faults/write_commands.h"

namespace cubcal::test {
namespace {

TEST(Kill, FilesAreTheEarlierOrTheNewOnes) {
  const ScratchFolder scratch;
  make_inputs(scratch.path());
  SeedStream random(17, 0);
  std::size_t struck = 0;
  for (const WriteCommand& command : write_commands()) {
    const Rewriting files(scratch.path(), command);
    const Seconds length = time_of(command.arguments, scratch.path());
    for (std::size_t i = 0; i < kills_or(5); ++i) {
      files.reset();
      const Seconds moment = random_moment(random, length, 0);
      if (!run_and_kill(command.arguments, scratch.path(), moment)) ++struck;
      files.expect_whole(command.name + " killed after " + std::to_string(moment.count()) + " s",
                         true);
      if (HasFailure()) return;
    }
    const Outcome next = run_cubcal(command.arguments, scratch.path());
    EXPECT_EQ(next.exit_code, 0) << command.name << ": " << next.err;
    EXPECT_TRUE(files.is_complete()) << command.name;
  }
  EXPECT_GT(struck, write_commands().size()) << "hardly a run was killed before its end";
}

}  // namespace
}  // namespace cubcal::test
