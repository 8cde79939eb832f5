#include "cubcal/service/answer_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "cli/program.h"
#include "cubcal/error.h"

namespace cubcal::test {
namespace {

TEST(AnswerLog, LinesOfManyThreadsStayWhole) {
  const ScratchFolder folder;
  const std::string line(3000, 'x');
  {
    AnswerLog log(folder.file("log"));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) EXPECT_TRUE(log.add(line));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::string expected;
  for (int i = 0; i < 200; ++i) expected += line + "\n";
  EXPECT_EQ(contents_of(folder.path() / "log"), expected);
}

TEST(AnswerLog, GoesOnInANewFileAfterRotation) {
  const ScratchFolder folder;
  AnswerLog log(folder.file("log"));
  log.add("one");
  std::filesystem::rename(folder.path() / "log", folder.path() / "old");
  log.add("two");
  log.reopen();
  log.add("three");
  EXPECT_EQ(contents_of(folder.path() / "old"), "one\ntwo\n");
  EXPECT_EQ(contents_of(folder.path() / "log"), "three\n");
}

TEST(AnswerLog, SaysWhatCannotBeWritten) {
  EXPECT_THROW(AnswerLog("/no/such/folder/log"), IoError);
  AnswerLog full("/dev/full");
  EXPECT_FALSE(full.add("lost"));
}

}  // namespace
}  // namespace cubcal::test
